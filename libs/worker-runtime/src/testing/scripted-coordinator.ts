import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import {
  AcquireLeasesResponse, DeregisterWorkerResponse, ExtendLeasesResponse, KindPolicy, Lease, LeaseExtensionResult, LeaseExtensionVerdict, LeaseServiceService,
  RegisterWorkerResponse, SettleLeasesResponse, SettlementVerdict, WorkerDirective, type LeaseExtension, type Progress, type RegisterWorkerRequest, type Settlement,
} from '@leasehold/lease-v1';
import { durationOfMs, GrpcServer, readImage, service } from '@leasehold/rpc';
import { createLogger, createRegistry, type Component } from '@leasehold/service';

interface Job {
  readonly namespace: string;
  readonly jobId: string;
  readonly payload: Uint8Array;
  /** Default 1. */
  readonly contractVersion?: number;
}

const LEASE_MS = 10_000;

/** lease.v1 over real gRPC for one kind, with a queue in memory: what a test needs to see a worker process at work. Its leases end by `expire` alone. */
export class ScriptedCoordinator implements Component {
  readonly name = 'scripted-coordinator';
  readonly #kind: string;
  readonly #server: GrpcServer;
  readonly #changed = new EventEmitter();
  readonly #queued: Job[] = [];
  readonly #held = new Map<bigint, { job: Job; token: Buffer }>();
  readonly #settled = new Map<string, Settlement>();
  readonly #progress = new Map<string, Progress>();
  #lastFence = 1_764_436_800_000_000n;
  /** How many settlements came for leases that had ended before. */
  refused = 0;
  readonly workers = new Set<string>();
  /** What workers said of themselves, in the order in which they came. */
  readonly registrations: RegisterWorkerRequest[] = [];

  constructor(kind: string) {
    this.#kind = kind;
    this.#changed.setMaxListeners(0);
    this.#server = new GrpcServer({
      host: '127.0.0.1', port: 0, services: [this.#service()], images: [readImage(import.meta.resolve('@leasehold/lease-v1/image.binpb'))],
      logger: createLogger({ service: 'scripted-coordinator', level: 'silent' }), registry: createRegistry('scripted-coordinator'),
    });
  }

  get address(): string {
    return this.#server.address;
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  stop(deadline: AbortSignal): Promise<void> {
    return this.#server.stop(deadline);
  }

  enqueue(job: Job): void {
    this.#queued.push(job);
    this.#changed.emit('change');
  }

  /** The settlement that counted for a job. */
  async settlement(jobId: string): Promise<Settlement> {
    for (;;) {
      const settled = this.#settled.get(jobId);
      if (settled !== undefined) return settled;
      await once(this.#changed, 'change');
    }
  }

  /** What the worker last said of a job that it runs. */
  progressOf(jobId: string): Progress | undefined {
    return this.#progress.get(jobId);
  }

  /** Ends a job's lease and queues it again, as the expiry of a lease does. */
  expire(jobId: string): void {
    for (const [fence, { job }] of this.#held) {
      if (job.jobId !== jobId) continue;
      this.#held.delete(fence);
      this.enqueue(job);
    }
  }

  #grant(job: Job): Lease {
    const fence = (this.#lastFence += 1n);
    const token = randomBytes(16);
    this.#held.set(fence, { job, token });
    return Lease.create({
      ...job, payload: Buffer.from(job.payload), kind: this.#kind, enqueueId: fence, fence, leaseToken: token, contractVersion: job.contractVersion ?? 1, attempt: 1, maxAttempts: 3,
      ttl: durationOfMs(LEASE_MS), grantedAfter: durationOfMs(0), runLeft: durationOfMs(60_000),
    });
  }

  #extend({ enqueueId, progress }: LeaseExtension): LeaseExtensionResult {
    const held = this.#held.get(enqueueId);
    if (held === undefined) return LeaseExtensionResult.create({ verdict: LeaseExtensionVerdict.LOST });
    if (progress !== undefined) this.#progress.set(held.job.jobId, progress);
    return LeaseExtensionResult.create({ verdict: LeaseExtensionVerdict.CONTINUE, ttl: durationOfMs(LEASE_MS) });
  }

  #settle(settlement: Settlement): SettlementVerdict {
    const held = this.#held.get(settlement.fence);
    if (held === undefined || !held.token.equals(settlement.leaseToken)) {
      this.refused += 1;
      this.#changed.emit('change');
      return SettlementVerdict.LEASE_LOST;
    }
    this.#held.delete(settlement.fence);
    if (settlement.verb?.$case === 'release') this.enqueue(held.job);
    else this.#settled.set(held.job.jobId, settlement);
    this.#changed.emit('change');
    return SettlementVerdict.SETTLED;
  }

  #service() {
    const directive = WorkerDirective.CONTINUE;
    const policy = KindPolicy.create({ kind: this.#kind, leaseTtl: durationOfMs(LEASE_MS), maxRun: durationOfMs(60_000), maxAttempts: 3 });
    return service(LeaseServiceService, {
      registerWorker: async (request) => {
        this.workers.add(request.workerId);
        this.registrations.push(request);
        this.#changed.emit('change');
        return RegisterWorkerResponse.create({ policies: [policy] });
      },
      acquireLeases: async ({ maxLeases }, { signal }) => {
        if (this.#queued.length === 0) await once(this.#changed, 'change', { signal: AbortSignal.any([signal, AbortSignal.timeout(1000)]) }).catch(() => undefined);
        return AcquireLeasesResponse.create({ leases: this.#queued.splice(0, signal.aborted ? 0 : maxLeases).map((job) => this.#grant(job)), directive });
      },
      extendLeases: async ({ extensions }) => ExtendLeasesResponse.create({ results: extensions.map((extension) => this.#extend(extension)), directive }),
      settleLeases: async ({ settlements }) => SettleLeasesResponse.create({ results: settlements.map((s) => ({ verdict: this.#settle(s), currentFence: 0n })) }),
      deregisterWorker: async ({ workerId }) => {
        this.workers.delete(workerId);
        this.#changed.emit('change');
        return DeregisterWorkerResponse.create({});
      },
    }, { domain: 'lease.leasehold' });
  }
}
