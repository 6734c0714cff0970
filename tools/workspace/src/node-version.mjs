// Old syntax only; see bootstrap.mjs.

/**
 * Why this Node will not do, or undefined.
 * @param {string} version for example `20.19.0`
 * @param {string} range the root's `engines.node`: alternatives of the forms `^a.b.c` and `>=a.b.c`
 * @returns {string | undefined}
 */
export function refusal(version, range) {
  const fits = range.split('||').some((part) => {
    const [least, actual] = [rank(part), rank(version)];
    return actual >= least && (!part.trim().startsWith('^') || Math.floor(actual / 1e8) === Math.floor(least / 1e8));
  });
  return fits ? undefined : `Leasehold needs Node ${range}; this is Node ${version}. Install one of these and run the command again.`;
}

/** @param {string} version as one number that compares @returns {number} */
function rank(version) {
  return (version.match(/\d+/g) || []).slice(0, 3).map(Number).reduce((total, part) => total * 1e4 + part, 0);
}
