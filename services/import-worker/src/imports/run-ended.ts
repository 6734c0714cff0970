import { JobFault } from '@leasehold/worker-runtime';
import type { Verdict } from '../figures.js';
import { faultClassOf, type Reason } from '../reasons.js';

/** The ledger's answer is that this run applies nothing. */
export class RunEnded extends JobFault {
  readonly verdict: Verdict;

  constructor(verdict: Verdict, reason: Reason, message: string) {
    super(reason, faultClassOf[reason], message);
    this.verdict = verdict;
  }
}
