import { Counter, Histogram, type Registry } from 'prom-client';
import { faultClassOf } from './reasons.js';

/** What became of a run, from where it stands: `applied_before`: it found that an earlier run had applied the batch. */
export const verdicts = ['applied', 'applied_before', 'rejected', 'ended', 'superseded', 'failed', 'stopped'] as const;
export type Verdict = (typeof verdicts)[number];

const technicalReasons = Object.entries(faultClassOf).filter(([, faultClass]) => faultClass === 'technical').map(([reason]) => reason);

/** What the worker counts beside what the runtime does. Each is shown from the start: a rate over a counter that appears only with its first event misses it. */
export class Figures {
  readonly #runs: Counter<'verdict'>;
  readonly #faults: Counter<'reason'>;
  readonly #rows: Counter;
  readonly #bytes: Counter;
  readonly #stalls: Counter;
  readonly #applySeconds: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#runs = new Counter({ name: 'leasehold_import_runs_total', help: 'Runs of imports that have ended, by what became of them.', labelNames: ['verdict'], registers });
    this.#faults = new Counter({ name: 'leasehold_import_faults_total', help: 'Runs that failed for reasons outside of their file: the store, the ledger, time, or anything else.', labelNames: ['reason'], registers });
    this.#rows = new Counter({ name: 'leasehold_import_rows_read_total', help: 'Rows read from shipment files, also of files that were refused later; its rate is rows a second.', registers });
    this.#bytes = new Counter({ name: 'leasehold_import_bytes_read_total', help: 'Bytes read from shipment files.', registers });
    this.#stalls = new Counter({ name: 'leasehold_import_stalled_reads_total', help: 'Reads that the object store did not answer in time.', registers });
    this.#applySeconds = new Histogram({
      name: 'leasehold_import_apply_seconds',
      help: 'From the call that applies a batch to its answer, whatever that says.',
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registers,
    });
    for (const verdict of verdicts) this.#runs.inc({ verdict }, 0);
    for (const reason of technicalReasons) this.#faults.inc({ reason }, 0);
  }

  ended(verdict: Verdict): void {
    this.#runs.inc({ verdict });
  }

  /** @param reason a technical one of the contract; anything else counts as INTERNAL */
  failed(reason: string): void {
    this.#faults.inc({ reason: technicalReasons.find((known) => known === reason) ?? 'INTERNAL' });
  }

  read(rows: number, bytes: number): void {
    this.#rows.inc(rows);
    this.#bytes.inc(bytes);
  }

  stalled(): void {
    this.#stalls.inc();
  }

  async timeApply<T>(apply: () => Promise<T>): Promise<T> {
    const end = this.#applySeconds.startTimer();
    try {
      return await apply();
    } finally {
      end();
    }
  }
}
