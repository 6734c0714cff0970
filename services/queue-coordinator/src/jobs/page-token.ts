import { createHash } from 'node:crypto';

/** The request that a token belongs to: a token of another list is refused instead of answering a wrong page. */
const fingerprint = (query: string): string => createHash('sha256').update(query).digest('base64url').slice(0, 12);

/** An opaque token for the page after `last` of the list that `query` describes. */
export const renderPageToken = (last: bigint, query: string): string => Buffer.from(`${last}.${fingerprint(query)}`).toString('base64url');

/** The enqueue id after which the page starts; undefined for a token that is not of this list. */
export function parsePageToken(token: string, query: string): bigint | undefined {
  const [, last, of] = /^([0-9]{1,19})\.([\w-]{12})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? [];
  return last === undefined || of !== fingerprint(query) ? undefined : BigInt(last);
}
