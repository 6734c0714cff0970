import { createHmac, timingSafeEqual } from 'node:crypto';

/** Which list: its kind, and every field of the request that the next one must repeat. */
export type PagedList = readonly [kind: string, ...fields: (string | readonly string[])[]];

const macBytes = 16;

/**
 * Opaque to callers, signed so that a made-up one is refused and never reaches the database, and bound to the list that it
 * continues. Every instance with the same secret reads it. It never expires: it holds a position, no data.
 */
export class PageTokens {
  readonly #keys: readonly Buffer[];

  /** @param secrets the first signs, all verify. */
  constructor(secrets: readonly string[]) {
    // Keys of their own: what signs URLs must not sign these.
    this.#keys = secrets.map((secret) => createHmac('sha256', secret).update('leasehold page token 2').digest());
  }

  /** @param after the position that the page ended with: a number's digits, or a SKU. */
  write(list: PagedList, after: string): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('page tokens need a secret');
    return Buffer.concat([mac(key, list, after), Buffer.from(after)]).toString('base64url');
  }

  /** The position to continue after; undefined when the token is not one of ours for this very list. */
  read(token: string, list: PagedList): string | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length <= macBytes) return undefined;
    const after = bytes.toString('utf8', macBytes);
    return this.#keys.some((key) => timingSafeEqual(bytes.subarray(0, macBytes), mac(key, list, after))) ? after : undefined;
  }
}

const mac = (key: Buffer, list: PagedList, after: string): Buffer => createHmac('sha256', key).update(JSON.stringify([list, after])).digest().subarray(0, macBytes);
