import type { Contracts } from './contracts.js';
import type { Owed } from './owed-jobs.js';

/** How the jobs of one kind are written anew when the contract version of their stored bytes is closed. */
export interface JobWriter {
  /** The version that new jobs are written in. */
  readonly preferredVersion: number;
  /** What to try after `closed`; undefined when there is no other. */
  versionAfter(closed: number): number | undefined;
  /** The job as its resource has it, in that version; undefined when the resource is at another generation by now. */
  write(job: Owed, version: number): Promise<{ readonly payload: Buffer; readonly digest: Buffer } | undefined>;
}

/** @param jobOf what the job of that generation says; undefined when the resource is at another one by now. */
export const jobWriter = <J, C extends { readonly version: number; encode(job: J): Buffer }>(contracts: Contracts<C>, digestOf: (job: J) => Buffer, jobOf: (owed: Owed) => Promise<J | undefined>): JobWriter => ({
  preferredVersion: contracts.preferred.version,
  versionAfter: (closed) => contracts.after(closed)?.version,
  write: async (owed, version) => {
    const job = await jobOf(owed);
    const contract = contracts.of(version);
    return job === undefined || contract === undefined ? undefined : { payload: contract.encode(job), digest: digestOf(job) };
  },
});
