import { Counter, Gauge, type Registry } from 'prom-client';
import { JobMetrics } from '../jobs/job-metrics.js';
import { StockMetrics } from '../stock/stock-metrics.js';

/** The figures of ingest. README.md says what each means. */
export class Metrics {
  readonly files: JobMetrics;
  readonly imports: JobMetrics;
  readonly stock: StockMetrics;
  readonly filesByState: Gauge<'state'>;
  readonly importsAccepted: Gauge;
  readonly oldestAcceptedSeconds: Gauge;
  readonly archived: Counter;
  readonly forgotten: Counter;
  readonly expired: Counter;
  readonly sweptObjects: Counter<'kind' | 'pass'>;
  readonly sweptBytes: Counter<'kind' | 'pass'>;
  readonly bucketPasses: Counter;
  readonly foreignObjects: Counter;
  readonly clockSkewSeconds: Gauge<'against'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.files = new JobMetrics('files', registry);
    this.imports = new JobMetrics('imports', registry);
    this.stock = new StockMetrics(registry);
    this.importsAccepted = new Gauge({ name: 'leasehold_imports_accepted', help: 'Imports that wait for their outcome, as of the last look.', registers });
    this.oldestAcceptedSeconds = new Gauge({ name: 'leasehold_imports_oldest_accepted_seconds', help: 'Age of the oldest of them; 0 when there is none.', registers });
    this.archived = new Counter({ name: 'leasehold_imports_archived_rows_total', help: 'Moves and row errors that went to the archive.', registers });
    this.forgotten = new Counter({ name: 'leasehold_imports_forgotten_total', help: 'Applied batches whose idempotency term ended, so that their ids may be used again.', registers });
    this.filesByState = new Gauge({ name: 'leasehold_files', help: 'Cards by stored state, as of the last look.', labelNames: ['state'], registers });
    this.expired = new Counter({ name: 'leasehold_files_expired_total', help: 'Cards that were never confirmed in time.', registers });
    this.sweptObjects = new Counter({ name: 'leasehold_files_swept_objects_total', help: 'Object versions removed, by kind (upload, rendition, shipment) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.sweptBytes = new Counter({ name: 'leasehold_files_swept_bytes_total', help: 'Bytes removed, by kind (upload, rendition, shipment) and pass (file, bucket).', labelNames: ['kind', 'pass'], registers });
    this.bucketPasses = new Counter({ name: 'leasehold_files_bucket_passes_total', help: 'Passes over the whole bucket that ended well.', registers });
    this.foreignObjects = new Counter({ name: 'leasehold_files_foreign_objects_total', help: 'Object versions whose key is none of ours, met and left alone.', registers });
    this.clockSkewSeconds = new Gauge({ name: 'leasehold_files_clock_skew_seconds', help: 'How far the other clock was ahead of this process at start; signed URLs obey the clocks of the application and of the store.', labelNames: ['against'], registers });
  }
}
