import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where a page ended, and of which list. */
export interface PageEnd {
  readonly namespace: string;
  readonly states: readonly string[];
  readonly seq: bigint;
}

/**
 * Opaque to callers, signed so that a made-up one is refused and never reaches the database, and bound to the list that it
 * continues. Every instance with the same secret reads it. It never expires: it holds a position, no data.
 */
export class PageTokens {
  readonly #keys: readonly Buffer[];

  /** @param secrets the first signs, all verify. */
  constructor(secrets: readonly string[]) {
    // Keys of their own: what signs URLs must not sign these.
    this.#keys = secrets.map((secret) => createHmac('sha256', secret).update('leasehold page token 1').digest());
  }

  write(end: PageEnd): string {
    const seq = Buffer.alloc(8);
    seq.writeBigInt64BE(end.seq);
    const [key] = this.#keys;
    if (key === undefined) throw new Error('page tokens need a secret');
    return Buffer.concat([seq, mac(key, end)]).toString('base64url');
  }

  /** The seq to continue after; undefined when the token is not one of ours for this very list. */
  read(token: string, list: Omit<PageEnd, 'seq'>): bigint | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== 24) return undefined;
    const seq = bytes.readBigInt64BE(0);
    return this.#keys.some((key) => timingSafeEqual(bytes.subarray(8), mac(key, { ...list, seq }))) ? seq : undefined;
  }
}

const mac = (key: Buffer, { namespace, states, seq }: PageEnd): Buffer =>
  createHmac('sha256', key).update(JSON.stringify([namespace, states.toSorted(), String(seq)])).digest().subarray(0, 16);
