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
