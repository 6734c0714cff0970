import { ConfigError } from '@leasehold/service';

/**
 * What LEASEHOLD_CONTRACTS says: versions, separated by commas.
 * @param text undefined: the variable is not set
 * @throws ConfigError for anything else than versions
 */
export function versionsToDeclare(text: string | undefined): readonly number[] | undefined {
  return text?.split(',').map((word) => {
    if (!/^ *[1-9][0-9]{0,8} *$/.test(word)) throw new ConfigError([{ variable: 'LEASEHOLD_CONTRACTS', problem: 'must be versions from 1, separated by commas, such as 1,2' }]);
    return Number(word);
  });
}

/**
 * A handler that declares and takes only some of the versions that it reads, so that an operator can hold a build back.
 * @param versions undefined: all of them
 * @throws ConfigError for a version that the build does not read
 */
export function declaring<Handler extends { readonly kind: string; readonly contracts: ReadonlyMap<number, unknown> }>(handler: Handler, versions: readonly number[] | undefined): Handler {
  if (versions === undefined) return handler;
  const unread = versions.filter((version) => !handler.contracts.has(version));
  if (unread.length > 0) throw new ConfigError([{ variable: 'LEASEHOLD_CONTRACTS', problem: `names ${unread.join(', ')}: this build reads ${[...handler.contracts.keys()].join(', ')} of ${handler.kind}` }]);
  return { ...handler, contracts: new Map([...handler.contracts].filter(([version]) => versions.includes(version))) };
}
