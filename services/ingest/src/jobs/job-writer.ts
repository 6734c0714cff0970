import type { Contract, ContractChoice } from './contract-choice.js';
import type { DueJob, Owed } from './owed-jobs.js';

/** A job in another contract version. */
export interface Rewritten {
  readonly version: number;
  readonly payload: Buffer;
  readonly digest: Buffer;
  /** Whether it is worth sending at once: the version is OPEN, as far as is known. */
  readonly isOpen: boolean;
}

/** How the jobs of one kind are written anew when the contract version of their stored bytes is closed. */
export interface JobWriter {
  /** The job as its resource has it. `gone`: the resource is at another generation by now; `nowhere`: no other version can say it. */
  rewrite(job: DueJob, signal: AbortSignal): Promise<Rewritten | 'gone' | 'nowhere'>;
}

/** @param jobOf what the job of that generation says; undefined when the resource is at another one by now. */
export const jobWriter = <J, C extends Contract<J> & { encode(job: J): Buffer }>(contracts: ContractChoice<J, C>, digestOf: (job: J) => Buffer, jobOf: (owed: Owed) => Promise<J | undefined>): JobWriter => ({
  rewrite: async (due, signal) => {
    const job = await jobOf(due);
    if (job === undefined) return 'gone';
    const next = await contracts.afterClosed(due.contractVersion, job, due.jobId, signal);
    return next === undefined ? 'nowhere' : { version: next.contract.version, payload: next.contract.encode(job), digest: digestOf(job), isOpen: next.isOpen };
  },
});
