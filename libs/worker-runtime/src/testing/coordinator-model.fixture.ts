import {
  AcquireLeasesResponse, DeregisterWorkerResponse, ExtendLeasesResponse, Lease, LeaseExtensionVerdict, RegisterWorkerResponse, Settlement, SettleLeasesResponse,
  SettlementVerdict, WorkerDirective,
  type AcquireLeasesRequest, type DeregisterWorkerRequest, type ExtendLeasesRequest, type LeaseExtension, type LeaseExtensionResult, type RegisterWorkerRequest,
  type SettleLeasesRequest, type SettlementResult,
} from '@leasehold/lease-v1';
import { durationOfMs } from '@leasehold/rpc';
import type { Clock } from '@leasehold/service';

/** A job as the model's queue has it. */
export interface Job {
  readonly enqueueId: bigint;
  readonly payload: Buffer;
  readonly version: number;
  state: 'queued' | 'leased' | 'finished' | 'cancelled';
  lease: { token: Buffer; fence: bigint; workerId: string; seq: bigint; expiresAtMs: number; runEndsAtMs: number } | undefined;
  /** Grants that count. */
  attempts: number;
  /** Settlements that counted, in order. */
  readonly settled: Settlement[];
}

/**
 * lease.v1 as its comments say, over a queue in memory: replayed acquires, undelivered leases taken back, settlements remembered. Time
 * is a clock that a test moves, and every call is one step.
 */
export class CoordinatorModel {
  readonly jobs: Job[] = [];
  readonly workers = new Map<string, RegisterWorkerRequest>();
  /** Leases that were taken back because the worker did not list them. */
  undelivered = 0;
  directive: WorkerDirective = WorkerDirective.CONTINUE;
  grantedAfterMs = 0;
  /** Leases granted beyond what is asked for: what two coordinators do that serve a call and its repeat at once. */
  grantsTooMany = 0;
  leaseTtlMs = 1200;
  maxRunMs = 6000;
  readonly #clock: Clock;
  readonly #memory = new Map<string, Settlement>();
  #fence = 1_000_000n;
  readonly #listeners: (() => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  enqueue(o: { count?: number; payload?: Buffer; version?: number } = {}): Job[] {
    const added = Array.from({ length: o.count ?? 1 }, (): Job => ({
      enqueueId: (this.#fence += 1n), payload: o.payload ?? Buffer.from('payload'), version: o.version ?? 1, state: 'queued', lease: undefined, attempts: 0, settled: [],
    }));
    this.jobs.push(...added);
    this.#changed();
    return added;
  }

  /** Called when a long poll may have something to answer. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** What every worker is told from now on. */
  direct(directive: WorkerDirective): void {
    this.directive = directive;
    this.#changed();
  }

  cancel(job: Job): void {
    if (job.state === 'finished') return;
    job.state = 'cancelled';
    job.lease = undefined;
    this.#fence += 1n;
  }

  /** Its lease holds no more: the job ended otherwise. */
  void(job: Job): void {
    job.state = 'finished';
    job.lease = undefined;
    this.#fence += 1n;
  }

  /** The duty that voids what has expired. */
  expire(): void {
    for (const job of this.jobs) if (job.lease !== undefined && this.#clock.now() >= Math.min(job.lease.expiresAtMs, job.lease.runEndsAtMs)) this.#requeue(job);
  }

  /** Workers that were silent for too long. */
  forgetWorkers(): void {
    this.workers.clear();
    this.#changed();
  }

  register(request: RegisterWorkerRequest): RegisterWorkerResponse {
    this.workers.set(request.workerId, request);
    const kinds = [...new Set(request.contracts.map((c) => c.kind))];
    const policy = { leaseTtl: durationOfMs(this.leaseTtlMs), maxRun: durationOfMs(this.maxRunMs), maxAttempts: 3 };
    return RegisterWorkerResponse.create({ policies: kinds.map((kind) => ({ kind, ...policy })) });
  }

  acquire(request: AcquireLeasesRequest): AcquireLeasesResponse {
    const { workerId, requestSeq, maxLeases } = request;
    if (!this.workers.has(workerId)) return AcquireLeasesResponse.create({ directive: WorkerDirective.REREGISTER });
    this.#takeBack(request);
    let granted = this.jobs.filter((j) => j.lease?.workerId === workerId && j.lease.seq === requestSeq);
    if (granted.length === 0) {
      granted = this.jobs.filter((j) => j.state === 'queued' && request.contractVersions.includes(j.version)).slice(0, maxLeases + this.grantsTooMany);
      for (const job of granted) this.#grant(job, workerId, requestSeq);
    }
    return AcquireLeasesResponse.create({ leases: granted.map((job) => this.#leaseOf(job, request.kind)), directive: this.directive });
  }

  extend(request: ExtendLeasesRequest): ExtendLeasesResponse {
    this.#takeBack(request);
    const directive = this.workers.has(request.workerId) ? this.directive : WorkerDirective.REREGISTER;
    return ExtendLeasesResponse.create({ results: request.extensions.map((e) => this.#extendOne(e)), directive });
  }

  settle(request: SettleLeasesRequest): SettleLeasesResponse {
    return SettleLeasesResponse.create({ results: request.settlements.map((s) => this.#settleOne(s)) });
  }

  deregister({ workerId }: DeregisterWorkerRequest): DeregisterWorkerResponse {
    const left = this.jobs.filter((j) => j.lease?.workerId === workerId);
    for (const job of left) this.#handBack(job);
    this.workers.delete(workerId);
    return DeregisterWorkerResponse.create({ releasedLeases: left.length });
  }

  #takeBack(request: { workerId: string; answeredSeq: bigint; heldFences: readonly bigint[] }): void {
    for (const job of this.jobs) {
      const { lease } = job;
      if (lease === undefined || lease.workerId !== request.workerId || lease.seq > request.answeredSeq || request.heldFences.includes(lease.fence)) continue;
      this.undelivered += 1;
      this.#handBack(job);
    }
  }

  #grant(job: Job, workerId: string, seq: bigint): void {
    const fence = (this.#fence += 1n);
    const nowMs = this.#clock.now();
    job.state = 'leased';
    job.attempts += 1;
    job.lease = { token: Buffer.from(`token-${fence}`), fence, workerId, seq, expiresAtMs: nowMs + this.leaseTtlMs, runEndsAtMs: nowMs + this.maxRunMs };
  }

  #leaseOf(job: Job, kind: string): Lease {
    const { lease, enqueueId, payload, version } = job;
    if (lease === undefined) throw new Error(`job ${enqueueId} is not leased`);
    const nowMs = this.#clock.now();
    return Lease.create({
      namespace: 'default', kind, jobId: `job-${enqueueId}`, enqueueId, contractVersion: version, payload, fence: lease.fence, leaseToken: lease.token,
      attempt: job.attempts, maxAttempts: 3, ttl: durationOfMs(lease.expiresAtMs - nowMs), grantedAfter: durationOfMs(this.grantedAfterMs),
      runLeft: durationOfMs(lease.runEndsAtMs - nowMs),
    });
  }

  #extendOne({ enqueueId, leaseToken }: LeaseExtension): LeaseExtensionResult {
    const job = this.jobs.find((j) => j.enqueueId === enqueueId);
    const lease = job?.lease;
    if (lease === undefined || !lease.token.equals(leaseToken)) {
      return { verdict: job?.state === 'cancelled' ? LeaseExtensionVerdict.CANCELLED : LeaseExtensionVerdict.LOST, ttl: undefined };
    }
    lease.expiresAtMs = Math.min(this.#clock.now() + this.leaseTtlMs, lease.runEndsAtMs);
    return { verdict: LeaseExtensionVerdict.CONTINUE, ttl: durationOfMs(lease.expiresAtMs - this.#clock.now()) };
  }

  #settleOne(settlement: Settlement): SettlementResult {
    const key = settlement.leaseToken.toString();
    const remembered = this.#memory.get(key);
    if (remembered !== undefined) return { verdict: sameContent(remembered, settlement) ? SettlementVerdict.SETTLED : SettlementVerdict.LEASE_LOST, currentFence: 0n };
    const job = this.jobs.find((j) => j.enqueueId === settlement.enqueueId);
    if (job === undefined) return { verdict: SettlementVerdict.NOT_FOUND, currentFence: 0n };
    if (job.lease?.token.equals(settlement.leaseToken) !== true) return { verdict: SettlementVerdict.LEASE_LOST, currentFence: job.lease?.fence ?? 0n };
    this.#memory.set(key, settlement);
    job.settled.push(settlement);
    if (settlement.verb?.$case === 'release') this.#handBack(job);
    else if (settlement.verb?.$case === 'fail' && settlement.verb.value.faultClass !== 1) this.#requeue(job);
    else {
      job.state = 'finished';
      job.lease = undefined;
    }
    return { verdict: SettlementVerdict.SETTLED, currentFence: 0n };
  }

  #handBack(job: Job): void {
    job.attempts -= 1;
    this.#requeue(job);
  }

  #requeue(job: Job): void {
    job.state = 'queued';
    job.lease = undefined;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What a settlement says, without the token: for comparing contents. */
export const contentOf = (s: Settlement): string => JSON.stringify(Settlement.toJSON({ ...s, leaseToken: Buffer.alloc(0) }));

const sameContent = (a: Settlement, b: Settlement): boolean => contentOf(a) === contentOf(b);
