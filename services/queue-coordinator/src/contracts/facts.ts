import { sql, type Database, type Transaction } from '@leasehold/postgres';
import type { ContractState } from './contract.js';

const factsSql = sql(import.meta.url, 'facts');

/** What is left of a contract. Each job counts in one line; ages in ms, undefined when there is nothing of the sort. */
export interface Left {
  readonly due: number;
  readonly scheduled: number;
  readonly retrying: number;
  readonly leased: number;
  readonly undispatched: number;
  readonly outcomes: number;
  readonly oldestJobMs: number | undefined;
  readonly oldestOutcomeMs: number | undefined;
}

/** A contract with what is left of it, and the oldest that is left, by name. A version that nobody announced but of which jobs are left shows as retired. */
export interface ContractFacts {
  readonly version: number;
  readonly state: ContractState;
  readonly paused: boolean;
  readonly sharePercent: number;
  readonly left: Left;
  readonly jobs: readonly string[];
  readonly outcomes: readonly string[];
}

/** A worker that is not gone, as far as it concerns one kind. */
export interface WorkerFacts {
  readonly workerId: string;
  readonly build: string;
  readonly state: 'active' | 'cordoned' | 'draining';
  readonly concurrency: number;
  readonly silentMs: number;
  /** Versions of the kind that it declared. */
  readonly reads: readonly number[];
  /** Versions that its build is suspended for. */
  readonly suspended: readonly number[];
}

/** A producer that was heard lately. */
export interface ProducerFacts {
  readonly producer: string;
  readonly build: string;
  readonly writes: readonly number[];
  readonly reads: readonly number[];
  /** In ms since 1970, by the database's clock. */
  readonly lastSeenMs: number;
}

/** All that gates know of a kind, as of one instant. */
export interface KindFacts {
  readonly kind: string;
  readonly readAt: Date;
  readonly contracts: readonly ContractFacts[];
  readonly workers: readonly WorkerFacts[];
  readonly producers: readonly ProducerFacts[];
  /** Builds that are given no more of a version, whether a worker of theirs lives or not. */
  readonly suspensions: readonly { readonly version: number; readonly build: string }[];
}

interface FactsRow {
  readonly kind: string;
  readonly read_at: Date;
  readonly contracts: readonly (Omit<ContractFacts, 'left'> & { readonly left: { readonly [K in keyof Left]: Left[K] | null } })[];
  readonly workers: readonly WorkerFacts[];
  readonly producers: readonly ProducerFacts[];
  readonly suspensions: KindFacts['suspensions'];
}

/**
 * Reads the facts of the kinds, or of all, in one statement.
 * @param producerMemoryMs how long a producer counts after it was last heard
 */
export async function readFacts(db: Database | Transaction, kinds: readonly string[] | undefined, producerMemoryMs: number): Promise<KindFacts[]> {
  const rows = await db.query<FactsRow>(factsSql, [kinds ?? null, producerMemoryMs]);
  return rows.map((row) => ({
    kind: row.kind,
    readAt: row.read_at,
    contracts: row.contracts.map(({ left, ...contract }) => ({ ...contract, left: leftOf(left) })),
    workers: row.workers,
    producers: row.producers,
    suspensions: row.suspensions,
  }));
}

const leftOf = (left: { readonly [K in keyof Left]: Left[K] | null }): Left => ({
  due: left.due ?? 0,
  scheduled: left.scheduled ?? 0,
  retrying: left.retrying ?? 0,
  leased: left.leased ?? 0,
  undispatched: left.undispatched ?? 0,
  outcomes: left.outcomes ?? 0,
  oldestJobMs: left.oldestJobMs ?? undefined,
  oldestOutcomeMs: left.oldestOutcomeMs ?? undefined,
});

/** Live jobs of a contract, wherever they stand. */
export const jobsLeft = (left: Left): number => left.due + left.scheduled + left.retrying + left.leased + left.undispatched;

/** What keeps a contract from being retired. */
export const totalLeft = (left: Left): number => jobsLeft(left) + left.outcomes;
