import { sql, type Database } from '@leasehold/postgres';
import { contractWord, type ContractName } from './contract.js';

const addSql = sql(import.meta.url, 'add-records');
const readSql = sql(import.meta.url, 'read-records');
const pruneSql = sql(import.meta.url, 'prune-records');

/** How an attempt ended, as far as its build is concerned. */
export type AttemptEnd = (typeof attemptEnds)[number];

const attemptEnds = ['succeeded', 'failed_content', 'failed_technical', 'expired'] as const;

export interface BuildRecord {
  readonly build: string;
  readonly succeeded: bigint;
  readonly failed_content: bigint;
  readonly failed_technical: bigint;
  readonly expired: bigint;
}

type Sums = Record<AttemptEnd, number> & ContractName & { readonly build: string };

export const flushEveryMs = 2_000;
const windowMs = 3_600_000;

/**
 * Sums up how attempts end, by build, and writes the sums down every few seconds: a row per attempt would cost the hot path, one row for all of them would make it queue up.
 * What a crash loses is shown nowhere else; nothing is decided on it.
 */
export class BuildRecords {
  readonly #db: Database;
  #sums = new Map<string, Sums>();

  constructor(db: Database) {
    this.#db = db;
  }

  note({ kind, version }: ContractName, build: string, end: AttemptEnd, times = 1): void {
    const key = `${contractWord({ kind, version })} ${build}`;
    const sums = this.#sums.get(key) ?? { kind, version, build, succeeded: 0, failed_content: 0, failed_technical: 0, expired: 0 };
    sums[end] += times;
    this.#sums.set(key, sums);
  }

  /** Writes down what came since; what cannot be written waits for the next time. */
  async flush(): Promise<void> {
    const sums = this.#sums;
    if (sums.size === 0) return;
    this.#sums = new Map();
    const rows = [...sums.values()];
    try {
      await this.#db.query(addSql, [
        rows.map((r) => r.kind), rows.map((r) => r.version), rows.map((r) => r.build),
        rows.map((r) => r.succeeded), rows.map((r) => r.failed_content), rows.map((r) => r.failed_technical), rows.map((r) => r.expired),
      ]);
    } catch (error) {
      for (const row of rows) for (const end of attemptEnds) this.note(row, row.build, end, row[end]);
      throw error;
    }
  }

  /** Of the last hour, by build. */
  async read({ kind, version }: ContractName): Promise<BuildRecord[]> {
    return this.#db.query<BuildRecord>(readSql, [kind, version, windowMs]);
  }

  async prune(): Promise<void> {
    await this.#db.query(pruneSql, []);
  }
}
