/**
 * How long to wait before the next try: doubles with each failure, with a random spread so that workers do not come back in step.
 * @param failures in a row, from 1
 * @param random 0 (inclusive) to 1 (exclusive)
 * @returns ms: half to all of min(baseMs * 2^(failures - 1), maxMs)
 */
export function backoffMs(failures: number, o: { baseMs: number; maxMs: number; random: () => number }): number {
  const fullMs = Math.min(o.baseMs * 2 ** Math.min(failures - 1, 30), o.maxMs);
  return fullMs / 2 + (fullMs / 2) * o.random();
}
