import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** What became of an outcome that was pulled. */
export type OutcomeFate = 'applied' | 'stale' | 'unknown' | 'unreadable';

/** The figures of the files side. README.md says what each means. */
export class Metrics {
  readonly filesByState: Gauge<'state'>;
  readonly relayLagSeconds: Gauge;
  readonly cancelLagSeconds: Gauge;
  readonly relayed: Counter<'verdict'>;
  readonly outcomes: Counter<'fate'>;
  readonly finalSeconds: Histogram<'state'>;
  readonly rejected: Counter<'reason'>;
  readonly namespaceFull: Counter;
  readonly healed: Counter;
  readonly expired: Counter;
  readonly sweptObjects: Counter<'kind' | 'pass'>;
  readonly sweptBytes: Counter<'kind' | 'pass'>;
  readonly bucketPasses: Counter;
  readonly foreignObjects: Counter;
  readonly clockSkewSeconds: Gauge<'against'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.filesByState = new Gauge({ name: 'leasehold_files', help: 'Cards by stored state, as of the last look.', labelNames: ['state'], registers });
    this.relayLagSeconds = new Gauge({ name: 'leasehold_files_relay_lag_seconds', help: 'Age of the oldest queued card that the coordinator has not taken yet; 0 when there is none.', registers });
    this.cancelLagSeconds = new Gauge({ name: 'leasehold_files_cancel_lag_seconds', help: 'Age of the oldest deletion whose job the coordinator has not cancelled yet; 0 when there is none.', registers });
    this.relayed = new Counter({ name: 'leasehold_files_relayed_total', help: 'Jobs sent to the coordinator, by its verdict. conflict and invalid need an operator.', labelNames: ['verdict'], registers });
    this.outcomes = new Counter({ name: 'leasehold_files_outcomes_total', help: 'Outcomes pulled, by what became of them: applied, stale (lost against a later event), unknown (no such card), unreadable (not acknowledged).', labelNames: ['fate'], registers });
    this.finalSeconds = new Histogram({
      name: 'leasehold_files_time_to_final_seconds', help: 'From confirmation or retry to the outcome, by the final state.', labelNames: ['state'],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200], registers,
    });
    this.rejected = new Counter({ name: 'leasehold_files_rejected_total', help: 'Cards that became REJECTED, by public reason.', labelNames: ['reason'], registers });
    this.namespaceFull = new Counter({ name: 'leasehold_files_namespace_full_total', help: 'Confirmations and retries refused because their namespace had too many cards queued.', registers });
    this.healed = new Counter({ name: 'leasehold_files_healed_total', help: 'Cards that were queued for long and are sent again.', registers });
    this.expired = new Counter({ name: 'leasehold_files_expired_total', help: 'Cards that were never confirmed in time.', registers });
    this.sweptObjects = new Counter({ name: 'leasehold_files_swept_objects_total', help: 'Object versions removed, by kind (upload, rendition) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.sweptBytes = new Counter({ name: 'leasehold_files_swept_bytes_total', help: 'Bytes removed, by kind (upload, rendition) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.bucketPasses = new Counter({ name: 'leasehold_files_bucket_passes_total', help: 'Passes over the whole bucket that ended well.', registers });
    this.foreignObjects = new Counter({ name: 'leasehold_files_foreign_objects_total', help: 'Object versions whose key is none of ours, met and left alone.', registers });
    this.clockSkewSeconds = new Gauge({ name: 'leasehold_files_clock_skew_seconds', help: 'How far the other clock was ahead of this process at start; signed URLs obey the clocks of the application and of the store.', labelNames: ['against'], registers });
  }
}
