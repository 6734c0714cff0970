import { sql, type Database } from '@leasehold/postgres';
import { Batcher } from '../batcher.js';
import type { Signals } from '../dispatch/signals.js';
import type { Progress } from '../jobs/job.js';

const extendSql = sql(import.meta.url, 'extend');
const endedSql = sql(import.meta.url, 'ended');

export interface Extension {
  readonly enqueueId: bigint;
  readonly leaseToken: Uint8Array;
  readonly progress?: Progress;
}

export type ExtensionResult = { readonly verdict: 'continue'; readonly ttlMs: number } | { readonly verdict: 'cancelled' | 'lost' };

/** Extends leases for as long as their token stands, never beyond max_run. */
export class Extender {
  readonly #db: Database;
  readonly #signals: Signals;
  readonly #batcher: Batcher<Extension, ExtensionResult>;

  constructor(db: Database, signals: Signals) {
    this.#db = db;
    this.#signals = signals;
    this.#batcher = new Batcher({ run: (extensions) => this.#extendAll(extensions) });
  }

  /** One result per extension, in order. */
  async extend(extensions: readonly Extension[]): Promise<ExtensionResult[]> {
    return Promise.all(extensions.map((extension) => this.#batcher.submit(extension)));
  }

  async #extendAll(extensions: readonly Extension[]): Promise<ExtensionResult[]> {
    const rows = await this.#db.query<{ enqueue_id: bigint; lease_token: Buffer; ttl_ms: number }>(extendSql, [
      extensions.map((e) => e.enqueueId), extensions.map((e) => e.leaseToken),
      extensions.map((e) => e.progress?.percent ?? -1), extensions.map((e) => e.progress?.stage ?? ''),
      extensions.map((e) => e.progress?.items ?? 0n), extensions.map((e) => e.progress?.bytes ?? 0n), extensions.map((e) => e.progress?.bytesTotal ?? 0n),
    ]);
    if (extensions.some((e) => e.progress !== undefined)) this.#signals.send('change');
    const ttls = new Map(rows.map((row) => [`${row.enqueue_id} ${row.lease_token.toString('hex')}`, row.ttl_ms]));
    const ttlOf = (e: Extension): number | undefined => ttls.get(`${e.enqueueId} ${Buffer.from(e.leaseToken).toString('hex')}`);
    const refused = extensions.filter((e) => ttlOf(e) === undefined);
    const cancelled = refused.length === 0 ? new Set<bigint>() : await this.#cancelled(refused);
    return extensions.map((extension): ExtensionResult => {
      const ttlMs = ttlOf(extension);
      if (ttlMs !== undefined) return { verdict: 'continue', ttlMs };
      return { verdict: cancelled.has(extension.enqueueId) ? 'cancelled' : 'lost' };
    });
  }

  async #cancelled(refused: readonly Extension[]): Promise<Set<bigint>> {
    const rows = await this.#db.query<{ enqueue_id: bigint }>(endedSql, [refused.map((e) => e.enqueueId)]);
    return new Set(rows.map((row) => row.enqueue_id));
  }
}
