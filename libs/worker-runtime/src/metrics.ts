import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GrantedLease } from './lease/granted-lease.js';

/** What became of a lease, counted once, when the worker stops holding it. */
export type LeaseOutcome =
  | 'succeeded' | 'failed_content' | 'failed_technical'
  | 'released_drain' | 'released_overcommitted' | 'released_unreadable_contract'
  // Cancelled by the producer · found lost by a heartbeat or a later grant · its settlement was refused · never answered.
  | 'cancelled' | 'lost' | 'refused' | 'unanswered';

/** What the gauges show, asked for at each scrape. */
export interface Shown {
  readonly running: () => number;
  readonly prefetched: () => number;
  readonly settling: () => number;
  readonly stuck: () => number;
}

/** The worker's figures, under the prefix leasehold_worker_. One per registry. */
export class WorkerMetrics {
  readonly #kind: string;
  readonly #jobs: Counter<'kind' | 'version' | 'outcome'>;
  readonly #runSeconds: Histogram<'kind' | 'version'>;
  readonly #lost: Counter<'kind' | 'version' | 'reason'>;
  readonly #renewFailures: Counter<'kind'>;
  readonly #registers: Registry[];

  constructor(registry: Registry, kind: string) {
    this.#kind = kind;
    this.#registers = [registry];
    const registers = this.#registers;
    this.#jobs = new Counter({ name: 'leasehold_worker_jobs_total', help: 'Leases that the worker held, by what became of them.', labelNames: ['kind', 'version', 'outcome'], registers });
    this.#runSeconds = new Histogram({
      name: 'leasehold_worker_run_duration_seconds',
      help: 'From the start of a run to the return of its handler.',
      labelNames: ['kind', 'version'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
      registers,
    });
    this.#lost = new Counter({
      name: 'leasehold_worker_lease_lost_total',
      help: 'Leases that the worker could not keep: untrusted (not extended in time), lost, cancelled, refused (at the settlement). One lease may count as untrusted and then as refused.',
      labelNames: ['kind', 'version', 'reason'],
      registers,
    });
    this.#renewFailures = new Counter({ name: 'leasehold_worker_renew_failures_total', help: 'Heartbeats that were not answered in time, or not usably.', labelNames: ['kind'], registers });
    // Shown from the start: a rate over a counter that appears only with its first failure misses that failure.
    this.#renewFailures.inc({ kind }, 0);
  }

  show(shown: Shown): void {
    const gauge = (name: string, help: string, read: () => number): void => {
      const kind = this.#kind;
      new Gauge({ name, help, labelNames: ['kind'], registers: this.#registers, collect() { this.set({ kind }, read()); } });
    };
    gauge('leasehold_worker_jobs_running', 'Slots taken, also by runs that were told to stop and have not returned.', shown.running);
    gauge('leasehold_worker_jobs_prefetched', 'Leases that wait for a slot.', shown.prefetched);
    gauge('leasehold_worker_settlements_waiting', 'Leases whose settlement is not answered yet.', shown.settling);
    gauge('leasehold_worker_runs_stuck', 'Runs that ignore for too long that they were told to stop.', shown.stuck);
  }

  ended(lease: GrantedLease, outcome: LeaseOutcome): void {
    this.#jobs.inc({ ...labelsOf(lease), outcome });
  }

  ran(lease: GrantedLease, ms: number): void {
    this.#runSeconds.observe(labelsOf(lease), ms / 1000);
  }

  lost(lease: GrantedLease, reason: 'untrusted' | 'lost' | 'cancelled' | 'refused'): void {
    this.#lost.inc({ ...labelsOf(lease), reason });
  }

  renewFailed(): void {
    this.#renewFailures.inc({ kind: this.#kind });
  }
}

const labelsOf = (lease: GrantedLease): { kind: string; version: string } => ({ kind: lease.kind, version: String(lease.contractVersion) });
