import { Counter, Histogram, type Registry } from 'prom-client';
import type { AttemptEnd, BuildRecords } from '../contracts/build-records.js';

/** Counts what happens to jobs and leases. What a figure means stands in the service's README. */
export class QueueFigures {
  readonly #enqueued: Counter<'kind' | 'version'>;
  readonly #granted: Counter<'kind' | 'version'>;
  readonly #waited: Histogram<'kind' | 'version'>;
  readonly #finished: Counter<'kind' | 'version' | 'state' | 'reason'>;
  readonly #duration: Histogram<'kind' | 'version' | 'state'>;
  readonly #attempts: Counter<'kind' | 'version' | 'reason'>;
  readonly #expired: Counter<'kind' | 'version'>;
  readonly #lost: Counter<'kind' | 'version' | 'verb'>;
  readonly #suspended: Counter<'kind' | 'version'>;

  readonly #records: BuildRecords;

  constructor(registry: Registry, records: BuildRecords) {
    this.#records = records;
    const registers = [registry];
    const contract = ['kind', 'version'] as const;
    const seconds = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800, 7200];
    this.#enqueued = new Counter({ name: 'leasehold_jobs_enqueued_total', help: 'Jobs that were new when they were enqueued.', labelNames: contract, registers });
    this.#granted = new Counter({ name: 'leasehold_leases_granted_total', help: 'Leases granted, each an attempt unless it is handed back.', labelNames: contract, registers });
    this.#waited = new Histogram({ name: 'leasehold_job_wait_seconds', help: 'Time from due to lease.', labelNames: contract, buckets: seconds, registers });
    this.#finished = new Counter({ name: 'leasehold_jobs_finished_total', help: 'Jobs that ended, by final state and reason.', labelNames: [...contract, 'state', 'reason'], registers });
    this.#duration = new Histogram({ name: 'leasehold_job_duration_seconds', help: 'Time from enqueueing to the final state.', labelNames: [...contract, 'state'], buckets: seconds, registers });
    this.#attempts = new Counter({ name: 'leasehold_attempts_ended_total', help: 'Leases settled without ending their job: technical failures by reason, and RELEASED.', labelNames: [...contract, 'reason'], registers });
    this.#expired = new Counter({ name: 'leasehold_leases_expired_total', help: 'Leases that ran out: their worker died, hung or was cut off.', labelNames: contract, registers });
    this.#lost = new Counter({ name: 'leasehold_leases_lost_total', help: 'Settlements refused as their lease no longer held.', labelNames: [...contract, 'verb'], registers });
    this.#suspended = new Counter({ name: 'leasehold_builds_suspended_total', help: 'Declarations suspended as a build handed 3 different jobs back unread.', labelNames: contract, registers });
  }

  jobEnqueued(kind: string, version: number): void {
    this.#enqueued.inc({ kind, version });
  }

  leaseGranted(kind: string, version: number, waitedMs: number): void {
    this.#granted.inc({ kind, version });
    this.#waited.observe({ kind, version }, Math.max(waitedMs, 0) / 1000);
  }

  attemptEnded(kind: string, version: number, reason: string): void {
    this.#attempts.inc({ kind, version, reason });
  }

  jobFinished(kind: string, version: number, state: string, reason: string, ageMs: number): void {
    this.#finished.inc({ kind, version, state, reason });
    this.#duration.observe({ kind, version, state }, ageMs / 1000);
  }

  /** How builds fare is kept in the database: a rollout is decided on by people who look at all coordinators at once. */
  attemptOfBuild(kind: string, version: number, build: string, end: AttemptEnd): void {
    this.#records.note({ kind, version }, build, end);
  }

  leaseExpired(kind: string, version: number, build: string): void {
    this.#expired.inc({ kind, version });
    this.attemptOfBuild(kind, version, build, 'expired');
  }

  leaseLost(kind: string, version: number, verb: string): void {
    this.#lost.inc({ kind, version, verb });
  }

  buildSuspended(kind: string, version: number): void {
    this.#suspended.inc({ kind, version });
  }
}
