import { Counter, Gauge, type Registry } from 'prom-client';
import { JobMetrics } from '../jobs/job-metrics.js';

/** The figures of the files side. README.md says what each means. */
export class Metrics {
  readonly files: JobMetrics;
  readonly filesByState: Gauge<'state'>;
  readonly expired: Counter;
  readonly sweptObjects: Counter<'kind' | 'pass'>;
  readonly sweptBytes: Counter<'kind' | 'pass'>;
  readonly bucketPasses: Counter;
  readonly foreignObjects: Counter;
  readonly clockSkewSeconds: Gauge<'against'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.files = new JobMetrics('files', registry);
    this.filesByState = new Gauge({ name: 'leasehold_files', help: 'Cards by stored state, as of the last look.', labelNames: ['state'], registers });
    this.expired = new Counter({ name: 'leasehold_files_expired_total', help: 'Cards that were never confirmed in time.', registers });
    this.sweptObjects = new Counter({ name: 'leasehold_files_swept_objects_total', help: 'Object versions removed, by kind (upload, rendition) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.sweptBytes = new Counter({ name: 'leasehold_files_swept_bytes_total', help: 'Bytes removed, by kind (upload, rendition) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.bucketPasses = new Counter({ name: 'leasehold_files_bucket_passes_total', help: 'Passes over the whole bucket that ended well.', registers });
    this.foreignObjects = new Counter({ name: 'leasehold_files_foreign_objects_total', help: 'Object versions whose key is none of ours, met and left alone.', registers });
    this.clockSkewSeconds = new Gauge({ name: 'leasehold_files_clock_skew_seconds', help: 'How far the other clock was ahead of this process at start; signed URLs obey the clocks of the application and of the store.', labelNames: ['against'], registers });
  }
}
