import type { RegisterWorkerResponse } from '@leasehold/lease-v1';
import { msOfDuration } from '@leasehold/rpc';
import type { StartingNeeds } from '../lease/lease-book.js';
import { planRenewal, type RenewalPlan } from '../renew/renewal-plan.js';

/** What follows from the kind's policy for this worker. */
export interface WorkerPolicy {
  readonly plan: RenewalPlan;
  readonly needs: StartingNeeds;
}

/** The coordinator knows no policy for the kind: nobody can enqueue jobs of it either. */
export class KindUnknown extends Error {
  constructor(kind: string) {
    super(`the coordinator has no policy for kind ${kind}: add it to kind_policies, or correct the handler's kind`);
    this.name = 'KindUnknown';
  }
}

/**
 * @param o.minRunMs what a job needs of max_run to be worth starting; default half of max_run
 * @throws KindUnknown, or LeaseTooShort when the worker's margin does not fit the kind's lease
 */
export function policyOf(answer: RegisterWorkerResponse, o: { kind: string; marginMs: number; minRunMs: number | undefined }): WorkerPolicy {
  const policy = answer.policies.find((p) => p.kind === o.kind);
  if (policy === undefined) throw new KindUnknown(o.kind);
  const leaseTtlMs = msOfDuration(policy.leaseTtl);
  const plan = planRenewal(o.kind, leaseTtlMs, o.marginMs);
  // A lease that waits for a slot is extended every third of its time, so this much trust is always left unless heartbeats fail.
  const worstTrustMs = leaseTtlMs - plan.everyMs - o.marginMs;
  return { plan, needs: { trustMs: Math.min(plan.deadlineMs, worstTrustMs / 2), runMs: o.minRunMs ?? msOfDuration(policy.maxRun) / 2 } };
}
