import {
  LeaseExtensionVerdict, FaultClass, LeaseServiceService, ReleaseCause, SettlementVerdict, WorkerDirective,
  type AcquireLeasesRequest, type AcquireLeasesResponse, type DeregisterWorkerRequest, type ExtendLeasesRequest, type ExtendLeasesResponse, type Lease as LeaseMessage, type RegisterWorkerRequest,
  type RegisterWorkerResponse, type SettleLeasesRequest, type SettleLeasesResponse, type Settlement as SettlementMessage,
} from '@leasehold/lease-v1';
import type { Database } from '@leasehold/postgres';
import { durationOfMs, faults, service, type CallContext, type ServiceBinding } from '@leasehold/rpc';
import type { Logger } from '@leasehold/service';
import { fitting } from '../answer-size.js';
import { leaseAccess } from '../access/lease-access.js';
import { WorkerOwners } from '../access/worker-owners.js';
import { answering } from '../database-faults.js';
import type { Dispatchers } from '../dispatch/dispatchers.js';
import type { Signals } from '../dispatch/signals.js';
import { pollFloorMs, type Wakeups } from '../dispatch/wakeups.js';
import { isKind } from '../jobs/job-name.js';
import { maxContentBytes, refusing, type RequestRules } from '../request-rules.js';
import type { AttendedWorker, Attendance } from '../workers/attend.js';
import { deregisterWorker, registerWorker } from '../workers/register.js';
import type { Granter } from './acquire.js';
import type { Extender, ExtensionResult } from './extend.js';
import { fence } from './fence.js';
import type { Granted, Lease } from './lease.js';
import { acquireMode, type Settlement, type Verb } from './rules.js';
import type { SettlementResult, Settler } from './settle.js';

const domain = 'lease.leasehold';
const fault = faults(domain);
const answers = answering(fault);
const refuse = refusing(fault);
const maxBatch = 512;
const maxWaitMs = 30_000;
const reasonForm = /^[A-Z][A-Z0-9_]{0,62}$/;
const workerIdForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the lease edge stands on. */
export interface LeaseParts {
  readonly db: Database;
  readonly attendance: Attendance;
  readonly granter: Granter;
  readonly extender: Extender;
  readonly settler: Settler;
  readonly wakeups: Wakeups;
  readonly signals: Signals;
  readonly dispatchers: Dispatchers;
  readonly logger: Logger;
  /** Monotonic, in ms. */
  readonly now: () => number;
}

/** lease.v1: maps messages to the domain and back; decides nothing itself. */
export function leaseService(parts: LeaseParts): ServiceBinding {
  return service(
    LeaseServiceService,
    {
      registerWorker: answers((request: RegisterWorkerRequest, call: CallContext) => register(parts, request, call)),
      acquireLeases: answers((request: AcquireLeasesRequest, call: CallContext) => acquire(parts, request, call)),
      extendLeases: answers((request: ExtendLeasesRequest) => extend(parts, request)),
      settleLeases: answers((request: SettleLeasesRequest) => settle(parts, request)),
      deregisterWorker: answers(async ({ workerId }: DeregisterWorkerRequest) => {
        refuse((rules) => rules.check(workerIdForm.test(workerId), 'worker_id', 'is no lower-case UUID'));
        const released = await deregisterWorker(parts.db, parts.logger, workerId);
        parts.dispatchers.moved(released);
        if (released.length > 0) parts.signals.send('change', ...released.map(({ kind }) => `due ${kind}` as const));
        return { releasedLeases: released.length };
      }),
    },
    { domain, access: leaseAccess(new WorkerOwners(parts.db)) },
  );
}

async function register(parts: LeaseParts, request: RegisterWorkerRequest, call: CallContext): Promise<RegisterWorkerResponse> {
  refuse((rules) => {
    rules.check(workerIdForm.test(request.workerId), 'worker_id', 'is no lower-case UUID');
    rules.check(request.build.length >= 1 && request.build.length <= 128, 'build', 'has 1 to 128 characters');
    rules.range(request.concurrency, 'concurrency', 1, 4096);
    rules.size(request.contracts, 'contracts', 256);
    for (const [index, contract] of request.contracts.entries()) {
      rules.check(isKind(contract.kind), `contracts[${index}].kind`, 'is no kind');
      rules.check(contract.version >= 1, `contracts[${index}].version`, 'starts at 1');
    }
  });
  const survey = await registerWorker(parts.db, parts.logger, { ...request, identity: call.identity.id });
  if (survey === undefined) throw fault.failedPrecondition('WORKER_GONE', 'this worker_id was judged gone and is never used again: register under a fresh one');
  return {
    policies: survey.policies.map((p) => ({ kind: p.kind, leaseTtl: durationOfMs(p.leaseMs), maxRun: durationOfMs(p.maxRunMs), maxAttempts: p.maxAttempts })),
    unreadContracts: [...survey.unread],
    suspendedContracts: [...survey.suspended],
  };
}

async function acquire(parts: LeaseParts, request: AcquireLeasesRequest, call: CallContext): Promise<AcquireLeasesResponse> {
  const arrivedAtMs = parts.now();
  let waitMs = 0;
  refuse((rules) => {
    rules.range(request.maxLeases, 'max_leases', 1, maxBatch);
    rules.check(isKind(request.kind), 'kind', 'is no kind');
    rules.versions(request.contractVersions, 'contract_versions');
    rules.check(request.requestSeq >= 1n, 'request_seq', 'starts at 1');
    rules.check(request.answeredSeq >= 0n && request.answeredSeq < request.requestSeq, 'answered_seq', 'is less than request_seq');
    waitMs = rules.duration(request.wait, 'wait', maxWaitMs);
  });
  const worker = await parts.attendance.attend(request);
  if (worker === undefined) return { leases: [], directive: WorkerDirective.REREGISTER };
  const undeclared = request.contractVersions.filter((version) => !worker.reads(request.kind, version));
  if (undeclared.length > 0) {
    throw fault.failedPrecondition('VERSION_NOT_DECLARED', `${undeclared.map((v) => `${request.kind}@${v}`).join(', ')} was not declared at registration`, {
      violations: undeclared.map((v) => ({ type: 'VERSION_NOT_DECLARED', subject: `${request.kind}@${v}`, description: 'register the worker with this contract first' })),
    });
  }
  const granted = await grantOrWait(parts, request, worker, { untilMs: arrivedAtMs + waitMs, call });
  // What does not fit is left out: the worker does not list it as held in its next call, and it is given back as undelivered.
  const leases = fitting(granted.leases, (lease) => lease.payload.length);
  return { leases: leases.map((lease) => leaseMessage(lease, granted.sentAtMs - arrivedAtMs)), directive: directiveOf(worker) };
}

const nothing: Granted = { leases: [], sentAtMs: 0 };

async function grantOrWait(parts: LeaseParts, request: AcquireLeasesRequest, worker: AttendedWorker, o: { untilMs: number; call: CallContext }): Promise<Granted> {
  const mode = acquireMode(request.requestSeq, worker.answeredSeq, worker.recorded);
  if (mode === 'stale') return nothing;
  if (mode === 'replay') return parts.granter.replay(request.workerId, request.requestSeq, request.kind);
  const versions = [...new Set(request.contractVersions)].filter((version) => !worker.suspended(request.kind, version)).toSorted((a, b) => a - b);
  if (worker.draining || worker.cordoned || versions.length === 0) return nothing;

  const asked = { workerId: request.workerId, requestSeq: request.requestSeq, kind: request.kind, build: worker.build, versions, slots: request.maxLeases };
  const subscription = parts.wakeups.subscribe(`due ${request.kind}`);
  const { signal } = o.call;
  try {
    for (;;) {
      // Nobody hears the answer any more: a grant now would only have to be given back.
      signal.throwIfAborted();
      const granted = await parts.granter.grant(asked);
      const leftMs = o.untilMs - parts.now();
      if (granted.leases.length > 0 || leftMs <= 0 || o.call.draining.aborted) return granted;
      await subscription.wait(Math.min(leftMs, pollFloorMs), AbortSignal.any([signal, o.call.draining]));
    }
  } finally {
    subscription.close();
  }
}

async function extend(parts: LeaseParts, request: ExtendLeasesRequest): Promise<ExtendLeasesResponse> {
  refuse((rules) => {
    rules.size(request.extensions, 'extensions', maxBatch, 0);
    for (const [index, { progress }] of request.extensions.entries()) {
      if (progress === undefined) continue;
      rules.range(progress.percent, `extensions[${index}].progress.percent`, 0, 100);
      rules.check(progress.stage.length <= 64, `extensions[${index}].progress.stage`, 'has at most 64 characters');
      for (const [field, count] of [['items', progress.items], ['bytes', progress.bytes], ['bytes_total', progress.bytesTotal]] as const) {
        rules.check(count >= 0n, `extensions[${index}].progress.${field}`, 'is not negative');
      }
    }
  });
  // What stands is extended also for a worker that must register again: its leases are still its own.
  const results = await parts.extender.extend(
    request.extensions.map(({ enqueueId, leaseToken, progress }) => ({ enqueueId, leaseToken, ...(progress === undefined ? {} : { progress }) })),
  );
  const worker = await parts.attendance.attend(request);
  return { results: results.map(extensionMessage), directive: worker === undefined ? WorkerDirective.REREGISTER : directiveOf(worker) };
}

async function settle(parts: LeaseParts, request: SettleLeasesRequest): Promise<SettleLeasesResponse> {
  const said: (Verb | undefined)[] = [];
  refuse((rules) => {
    rules.size(request.settlements, 'settlements', maxBatch);
    for (const [index, settlement] of request.settlements.entries()) said.push(verbOf(settlement, `settlements[${index}]`, rules));
  });
  const settlements = request.settlements.flatMap(({ enqueueId, leaseToken, fence: asGranted }, index): Settlement[] => {
    const verb = said[index];
    return verb === undefined ? [] : [{ enqueueId, leaseToken, fence: fence(asGranted), said: verb }];
  });
  const results = await parts.settler.settle(request.workerId, settlements);
  return { results: results.map(settlementMessage) };
}

function verbOf({ verb }: SettlementMessage, field: string, rules: RequestRules): Verb | undefined {
  switch (verb?.$case) {
    case 'complete':
      rules.check(verb.value.result.length <= maxContentBytes, `${field}.complete.result`, `has ${verb.value.result.length} bytes; ${maxContentBytes} are allowed`);
      return { verb: 'complete', result: verb.value.result };
    case 'fail':
      rules.check(reasonForm.test(verb.value.reason), `${field}.fail.reason`, 'is no word of the form [A-Z][A-Z0-9_]{0,62}');
      rules.check(verb.value.faultClass === FaultClass.CONTENT || verb.value.faultClass === FaultClass.TECHNICAL, `${field}.fail.fault_class`, 'is CONTENT or TECHNICAL');
      return { verb: 'fail', reason: verb.value.reason, contentFault: verb.value.faultClass === FaultClass.CONTENT };
    case 'release':
      rules.check(verb.value.cause !== ReleaseCause.UNSPECIFIED, `${field}.release.cause`, 'is required');
      return { verb: 'release', unreadable: verb.value.cause === ReleaseCause.UNREADABLE_CONTRACT };
    case undefined:
      rules.check(false, `${field}.verb`, 'is required: complete, fail or release');
      return undefined;
  }
}

const directiveOf = (worker: AttendedWorker): WorkerDirective => (worker.draining ? WorkerDirective.DRAIN : WorkerDirective.CONTINUE);

const leaseMessage = (lease: Lease, grantedAfterMs: number): LeaseMessage => ({
  namespace: lease.namespace,
  kind: lease.kind,
  jobId: lease.jobId,
  enqueueId: lease.enqueueId,
  contractVersion: lease.contractVersion,
  payload: Buffer.from(lease.payload),
  fence: lease.fence,
  leaseToken: Buffer.from(lease.leaseToken),
  attempt: lease.attempt,
  maxAttempts: lease.maxAttempts,
  ttl: durationOfMs(lease.ttlMs),
  grantedAfter: durationOfMs(Math.max(grantedAfterMs, 0)),
  runLeft: durationOfMs(lease.runLeftMs),
});

const extensionMessage = (result: ExtensionResult): ExtendLeasesResponse['results'][number] => {
  switch (result.verdict) {
    case 'continue':
      return { verdict: LeaseExtensionVerdict.CONTINUE, ttl: durationOfMs(result.ttlMs) };
    case 'cancelled':
      return { verdict: LeaseExtensionVerdict.CANCELLED, ttl: undefined };
    case 'lost':
      return { verdict: LeaseExtensionVerdict.LOST, ttl: undefined };
  }
};

const settlementMessage = (result: SettlementResult): SettleLeasesResponse['results'][number] => {
  switch (result.verdict) {
    case 'settled':
      return { verdict: SettlementVerdict.SETTLED, currentFence: 0n };
    case 'lost':
      return { verdict: SettlementVerdict.LEASE_LOST, currentFence: result.currentFence };
    case 'not_found':
      return { verdict: SettlementVerdict.NOT_FOUND, currentFence: 0n };
  }
};
