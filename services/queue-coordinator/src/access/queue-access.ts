import type { QueueServiceService } from '@leasehold/queue-v1';
import { faults, type AccessOf, type Caller, type Fault, type Identity } from '@leasehold/rpc';
import { parseJobName, parseParent } from '../jobs/job-name.js';
import type { Producers } from './producers.js';

const fault = faults('queue.leasehold');

/**
 * Who may call what on queue.v1:
 *
 *   ingest     everything, on jobs of the kinds and in the namespaces that it was granted
 *   operator   looks at every job (GetJob, BatchGetJobs, ListJobs, WatchJob) and cancels (CancelJob); hands nothing over and takes no outcomes
 *   worker, client, coordinator   nothing
 *
 * What is no name is left to the method, which refuses it.
 */
export function queueAccess(producers: Producers): AccessOf<typeof QueueServiceService> {
  const onJobs = (names: readonly string[], { identity }: Caller, operators: boolean): void => {
    if (operators && identity.role === 'operator') return;
    const producer = producerOf(identity);
    for (const name of names) {
      const job = parseJobName(name);
      if (job !== undefined && !producers.mayProduce(producer, job)) throw notGranted(identity, `jobs of kind ${job.kind} in namespace ${job.namespace}`);
    }
  };
  const onKind = (kind: string, { identity }: Caller): void => {
    const allowed = producers.namespacesOf(producerOf(identity), kind);
    if (allowed !== 'any' && allowed.length === 0) throw notGranted(identity, `jobs of kind ${kind}`);
  };
  return {
    enqueueJobs: ({ jobs }, call) => onJobs(jobs.map(({ name }) => name), call, false),
    getJob: ({ name }, call) => onJobs([name], call, true),
    batchGetJobs: ({ names }, call) => onJobs(names, call, true),
    listJobs: ({ parent }, { identity }) => {
      if (identity.role === 'operator') return;
      const asked = parseParent(parent);
      const allowed = asked === undefined ? 'any' : producers.namespacesOf(producerOf(identity), asked.kind);
      if (asked === undefined || allowed === 'any' || (asked.namespace !== undefined && allowed.includes(asked.namespace))) return;
      throw notGranted(identity, `jobs of kind ${asked.kind} in ${asked.namespace === undefined ? 'all namespaces' : `namespace ${asked.namespace}`}`);
    },
    cancelJob: ({ name }, call) => onJobs([name], call, true),
    watchJob: ({ name }, call) => onJobs([name], call, true),
    pullOutcomes: ({ kind }, call) => onKind(kind, call),
    ackOutcomes: ({ outcomes }, call) => onJobs(outcomes.map(({ name }) => name), call, false),
    getContractShares: ({ kind }, call) => onKind(kind, call),
  };
}

/** The namespaces whose outcomes a caller is handed; undefined: all. */
export function outcomeNamespaces(producers: Producers, identity: Identity, kind: string): readonly string[] | undefined {
  if (identity.role !== 'ingest') return undefined;
  const allowed = producers.namespacesOf(identity.name, kind);
  return allowed === 'any' ? undefined : allowed;
}

function producerOf(identity: Identity): string {
  if (identity.role === 'ingest') return identity.name;
  throw fault.denied('ROLE_NOT_ALLOWED', `this method is not for the role ${identity.role}`, { identity: identity.id });
}

const notGranted = (identity: Identity, what: string): Fault => fault.denied('NOT_GRANTED', `${identity.id} was not granted ${what}`, { identity: identity.id });
