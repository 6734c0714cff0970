import type { RolloutServiceService } from '@leasehold/rollout-v1';
import { faults, type AccessOf, type Caller } from '@leasehold/rpc';

const fault = faults('rollout.leasehold');

/**
 * Who may call what on rollout.v1:
 *
 *   operator   everything
 *   ingest, worker, client, coordinator   nothing: a process never takes a step of a rollout by itself
 */
const operatorsOnly = (_request: unknown, { identity }: Caller): void => {
  if (identity.role !== 'operator') throw fault.denied('ROLE_NOT_ALLOWED', `this edge is not for the role ${identity.role}`, { identity: identity.id });
};

export const rolloutAccess: AccessOf<typeof RolloutServiceService> = {
  announceContract: operatorsOnly,
  listContracts: operatorsOnly,
  getContract: operatorsOnly,
  checkGate: operatorsOnly,
  openContract: operatorsOnly,
  setPreferredContract: operatorsOnly,
  closeContract: operatorsOnly,
  retireContract: operatorsOnly,
  reopenContract: operatorsOnly,
  pauseContract: operatorsOnly,
  resumeContract: operatorsOnly,
  discardJobs: operatorsOnly,
  watchDrain: operatorsOnly,
  listWorkers: operatorsOnly,
  cordonWorkers: operatorsOnly,
  uncordonWorkers: operatorsOnly,
  drainWorkers: operatorsOnly,
  explainJob: operatorsOnly,
  listAuditEvents: operatorsOnly,
};
