import type { ContractShares } from './contract-shares.js';
import type { Contracts } from './contracts.js';

/** One version of a kind's contract. */
export interface Contract<Job> {
  readonly version: number;
  /** Whether a job can be written in this version at all. */
  canSay(job: Job): boolean;
}

/** Which version a job is written in: what the coordinator says, among those that this build writes and that can say the job. */
export class ContractChoice<Job, C extends Contract<Job>> {
  readonly #contracts: Contracts<C>;
  readonly #shares: ContractShares;

  constructor(contracts: Contracts<C>, shares: ContractShares) {
    this.#contracts = contracts;
    this.#shares = shares;
  }

  of(version: number): C | undefined {
    return this.#contracts.of(version);
  }

  /**
   * For a new job: the version of its place among the shares; where that cannot say the job, another one that is OPEN and can. A job that the first
   * version can say is written in that one while nobody knows better: should it be closed, the relay hears of it. Undefined: no OPEN version can say the job.
   */
  forNew(job: Job, jobId: string): C | undefined {
    const { preferred } = this.#contracts;
    return this.#open(job, jobId) ?? (preferred.canSay(job) ? preferred : undefined);
  }

  /** For a job that is owed, whatever is OPEN: where no OPEN version can say it, one that can; the relay sends it when that is opened. */
  forOwed(job: Job, jobId: string): C | undefined {
    return this.forNew(job, jobId) ?? this.#contracts.all.find((contract) => contract.canSay(job));
  }

  /**
   * After `closed` was found closed: asks anew. While nobody answers all versions are tried, round and round; `isOpen` is false where the round is over.
   * Undefined: no other version that is OPEN, or may be, can say the job.
   */
  async afterClosed(closed: number, job: Job, jobId: string, signal: AbortSignal): Promise<{ readonly contract: C; readonly isOpen: boolean } | undefined> {
    await this.#shares.askNow(signal);
    const open = this.#open(job, jobId, closed);
    if (open !== undefined) return { contract: open, isOpen: true };
    if (this.#shares.known) return undefined;
    const next = this.#contracts.after(closed);
    return next?.canSay(job) === true ? { contract: next, isOpen: closed === this.#contracts.preferred.version } : undefined;
  }

  #open(job: Job, jobId: string, but?: number): C | undefined {
    const mine = this.#shares.versionFor(jobId);
    const versions = [...(mine === undefined ? [] : [mine]), ...this.#shares.open].filter((version) => version !== but);
    return versions.map((version) => this.#contracts.of(version)).find((contract) => contract?.canSay(job) === true);
  }
}
