import { randomUUID } from 'node:crypto';
import { AcquireSequence } from '../acquire/sequence.js';

/** Who the worker is to the coordinator: a fresh id with numbers of its own, at each boot and after REREGISTER. */
export interface Identity {
  readonly workerId: string;
  readonly sequence: AcquireSequence;
}

export const newIdentity = (): Identity => ({ workerId: randomUUID(), sequence: new AcquireSequence() });
