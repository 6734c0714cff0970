import type { Fence } from './fence.js';

/** How a job ended, as the coordinator hands it back. */
export interface Outcome {
  /** `namespaces/{namespace}/kinds/{kind}/jobs/{job}` */
  readonly name: string;
  /** unreadable: a state that this build does not know. */
  readonly cause: 'succeeded' | 'failed' | 'cancelled' | 'unreadable';
  readonly fence: Fence;
  readonly contractVersion: number;
  /** failed only: a word of the contract's closed list, or EXHAUSTED. */
  readonly reason: string;
  /** succeeded only: by the contract. */
  readonly result: Buffer;
}
