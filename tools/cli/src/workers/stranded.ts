import { ContractState, WorkerState, type ContractSummary, type Worker } from '@leasehold/rollout-v1';
import { wordOfName } from '../contract-word.js';

/** A version that would lose its last reader. */
export interface Stranded {
  readonly contract: string;
  /** Live jobs of it that are left. */
  readonly jobs: bigint;
}

const takes = (worker: Worker, word: string): boolean => worker.state === WorkerState.ACTIVE && worker.reads.includes(word) && !worker.suspended.includes(word);

/** Versions that are present (open, or jobs of them are left) and that only those who are meant read. */
export function strandedBy(meant: readonly Worker[], all: readonly Worker[], contracts: readonly ContractSummary[]): Stranded[] {
  const ids = new Set(meant.map(({ workerId }) => workerId));
  return contracts.flatMap(({ contract, left }) => {
    const word = wordOfName(contract?.name ?? '');
    const jobs = left === undefined ? 0n : left.total - left.outcomes;
    const present = contract?.state === ContractState.OPEN || jobs > 0n;
    const readers = all.filter((worker) => takes(worker, word));
    return present && readers.length > 0 && readers.every(({ workerId }) => ids.has(workerId)) ? [{ contract: word, jobs }] : [];
  });
}
