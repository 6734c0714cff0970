import type { LeaseServiceService } from '@leasehold/lease-v1';
import { faults, type AccessOf, type Identity } from '@leasehold/rpc';
import type { WorkerOwners } from './worker-owners.js';

const fault = faults('lease.leasehold');
const maxBatch = 512;

/**
 * Who may call what on lease.v1:
 *
 *   worker   everything, for its own kind, under worker ids that it registered itself, on leases that such a worker holds
 *   ingest, client, operator, coordinator   nothing
 *
 * A lease is its holder's by its token, which is secret and decides in the settling statement. The rule on leases stands in front of that,
 * so that a token that got out is of no use to others. A worker id that is not known passes: the method answers REREGISTER or finds nothing.
 */
export function leaseAccess(owners: WorkerOwners): AccessOf<typeof LeaseServiceService> {
  const ownWorker = async (identity: Identity, workerId: string): Promise<void> => {
    kindOf(identity);
    const owner = await owners.ownerOf(workerId);
    if (owner !== undefined && owner !== identity.id) throw fault.denied('WORKER_NOT_OWN', 'the worker_id was registered by somebody else', { identity: identity.id });
  };
  const ownLeases = async (identity: Identity, enqueueIds: readonly bigint[]): Promise<void> => {
    // The method refuses a longer list.
    const foreign = await owners.foreign(enqueueIds.slice(0, maxBatch), identity.id);
    if (foreign.length > 0) throw fault.denied('LEASE_NOT_OWN', `leases of others: ${foreign.join(', ')}`, { identity: identity.id });
  };
  const ownKind = (identity: Identity, kinds: readonly string[]): void => {
    const own = kindOf(identity);
    const other = kinds.find((kind) => kind !== own);
    if (other !== undefined) throw fault.denied('NOT_GRANTED', `${identity.id} works on ${own}, not on ${other}`, { identity: identity.id });
  };
  return {
    registerWorker: async ({ workerId, contracts }, { identity }) => {
      ownKind(identity, contracts.map(({ kind }) => kind));
      await ownWorker(identity, workerId);
    },
    acquireLeases: async ({ workerId, kind }, { identity }) => {
      ownKind(identity, [kind]);
      await ownWorker(identity, workerId);
    },
    extendLeases: async ({ workerId, extensions }, { identity }) => {
      await ownWorker(identity, workerId);
      await ownLeases(identity, extensions.map(({ enqueueId }) => enqueueId));
    },
    settleLeases: async ({ workerId, settlements }, { identity }) => {
      await ownWorker(identity, workerId);
      await ownLeases(identity, settlements.map(({ enqueueId }) => enqueueId));
    },
    deregisterWorker: ({ workerId }, { identity }) => ownWorker(identity, workerId),
  };
}

function kindOf(identity: Identity): string {
  if (identity.role === 'worker') return identity.kind;
  throw fault.denied('ROLE_NOT_ALLOWED', `this edge is not for the role ${identity.role}`, { identity: identity.id });
}
