import { readShipment, type ShipmentReport } from '@leasehold/shipment-csv';
import { maxKeptFaults, stockRowErrors, type Applied, type FileFaults, type ImportRecord, type Refusal, type RunIdentity } from '@leasehold/stock-ledger';
import type { RunningJob } from '@leasehold/worker-runtime';
import type { Verdict } from '../figures.js';
import { importFault, reasonOf } from '../reasons.js';
import { openSource, type OpenSource } from '../source/open-source.js';
import { ImportProgress } from './import-progress.js';
import type { ImportDone, ImportOrder } from './import-order.js';
import type { ImportParts, StagedRows } from './import-parts.js';
import { RunEnded } from './run-ended.js';

interface Done {
  readonly verdict: Verdict;
  readonly result: ImportDone;
}

/** The file is no shipment, nor has it rows that may be applied without the others; ends the COPY that its first rows went into. */
class NoShipment extends Error {
  readonly report: ShipmentReport;

  constructor(report: ShipmentReport) {
    super('the file has faults');
    this.report = report;
  }
}

/**
 * One run of one import. The ledger's row of the batch decides at each step that leaves a trace: begin, apply, reject. Until apply there is nothing that
 * anybody else can see; apply is all or nothing, or all that is good of a PARTIAL batch, and knows the run by its fence and token.
 */
export class ImportAttempt {
  readonly #job: RunningJob<ImportOrder>;
  readonly #parts: ImportParts;
  readonly #run: RunIdentity;
  readonly #progress: ImportProgress;

  constructor(job: RunningJob<ImportOrder>, parts: ImportParts) {
    const { namespace, fence, tokenDigest, model: { importId, generation, source } } = job;
    this.#job = job;
    this.#parts = parts;
    this.#run = { namespace, importId, generation, fence, tokenDigest };
    this.#progress = new ImportProgress({ bytesTotal: source.sizeBytes, show: job.progress, figures: parts.figures });
  }

  /** Throws JobFault; LedgerAway; the signal's reason. */
  async run(): Promise<Done> {
    const begun = await this.#parts.ledger.begin(this.#run);
    if (begun.verdict !== 'begun') return this.#decided(begun.import);
    this.#job.signal.throwIfAborted();
    this.#submittedLikeThis(begun.import);
    this.#progress.fetching();
    const { signal } = this.#job;
    const { store, clock, figures, storeTimeoutMs: stallMs } = this.#parts;
    const source = await openSource(store, this.#job.model.source, { signal, stallMs, clock, onStall: () => figures.stalled() });
    try {
      const outcome = await this.#applied(source);
      return 'result' in outcome ? outcome : await this.#rejected(outcome);
    } finally {
      await source.close().catch(() => undefined); // Nothing that is still read counts.
    }
  }

  /** A job that an ingest of the previous release wrote for a retry says nothing of what the batch was submitted with: read like that it would be another file. */
  #submittedLikeThis(record: ImportRecord | undefined): void {
    const { mode, layout } = this.#job.model;
    if (record?.mode === mode && record.layout === layout) return;
    throw importFault('INTERNAL', `the job says ${mode} ${layout}, and the import was submitted as ${record?.mode} ${record?.layout}`);
  }

  /** What was applied, or why not. */
  async #applied(source: OpenSource): Promise<Done | Refusal> {
    const { signal, trustLeftMs, model: { mode, layout } } = this.#job;
    const staged = await this.#parts.ledger.openRun(this.#run, { mode, layout, signal });
    try {
      const left = await this.#copied(source, staged);
      signal.throwIfAborted();
      this.#progress.applying();
      const applied = await this.#parts.figures.timeApply(() => staged.apply(trustLeftMs, left));
      return this.#outcomeOf(applied, left);
    } catch (error) {
      if (!(error instanceof NoShipment)) throw error;
      await source.prove();
      return refusedFile(error.report);
    } finally {
      staged.close();
    }
  }

  /** What of the file was left out: of an ATOMIC batch nothing. */
  async #copied(source: OpenSource, staged: StagedRows): Promise<FileFaults> {
    const { signal, model: { charset, mode, layout } } = this.#job;
    const partial = mode === 'partial';
    const shipment = readShipment(source.body, { charset, layout, partial, limits: this.#parts.limits, signal, onProgress: (read) => this.#progress.read(read) });
    const { buffers } = this.#parts;
    async function* rows(): AsyncGenerator<Uint8Array> {
      for await (const text of shipment.copyText) {
        buffers.passed(text.length);
        yield text;
      }
      if (isRefused(shipment.report(), partial)) throw new NoShipment(shipment.report());
    }
    await staged.copyText(rows());
    const { faults, faultCount, rejectedRows } = shipment.report();
    return { faults, faultCount, rejectedRows };
  }

  #outcomeOf(applied: Applied, left: FileFaults): Done | Refusal {
    switch (applied.verdict) {
      case 'applied':
        return this.#done('applied', applied.import);
      case 'already_applied':
        return this.#done('applied_before', applied.import);
      case 'refused':
        return refusedByStock(applied, left);
      case 'lost':
        return this.#decided(applied.import);
      case 'unknown':
        return this.#decided(undefined);
    }
  }

  /** REJECTED, with what is wrong: decided by the ledger like everything else. */
  async #rejected(refusal: Refusal): Promise<Done> {
    this.#job.signal.throwIfAborted();
    const { verdict, import: record } = await this.#parts.ledger.reject(this.#run, refusal);
    if (verdict !== 'rejected') return this.#decided(record);
    throw new RunEnded('rejected', reasonOf(refusal.reason), `refused, ${refusal.faultCount} faults`);
  }

  /** The batch's row was not this run's to change. */
  #decided(record: ImportRecord | undefined): Done {
    this.#job.signal.throwIfAborted();
    if (record === undefined) throw new RunEnded('superseded', 'LEDGER_UNAVAILABLE', 'the ledger does not know the import: it is another ledger, or one that was restored');
    const { generation, state } = record;
    if (generation === this.#run.generation && state === 'applied') return this.#done('applied_before', record);
    if (generation !== this.#run.generation || state !== 'accepted') throw new RunEnded('ended', 'ENDED', `the import is ${state}, generation ${generation}`);
    // Technical: if this lease is the newest after all (a ledger or queue that was restored), the next one has a larger fence.
    throw new RunEnded('superseded', 'INTERNAL', 'a later run has the import');
  }

  #done(verdict: Verdict, { result }: ImportRecord): Done {
    if (result === undefined) throw new Error('an applied import without a result');
    this.#job.log.info({ event: 'import_applied', import: this.#run.importId, generation: this.#run.generation, before: verdict === 'applied_before', rows: String(result.rows) });
    return { verdict, result };
  }
}

/** PARTIAL: what ended the reading is of the whole file; and where no row is good nothing is applied, so that the id is free for a better file. */
const isRefused = ({ faultCount, brokenOff, rows, rejectedRows }: ShipmentReport, partial: boolean): boolean =>
  partial ? brokenOff || rows === rejectedRows : faultCount > 0;

const refusedFile = ({ faults, faultCount }: ShipmentReport): Refusal => ({ reason: faults[0]?.code ?? 'INTERNAL', faults: faults.slice(0, maxKeptFaults), faultCount });

/** With what was wrong with rows of the file itself, in its order: the first fault is the reason. */
function refusedByStock({ faults, faultCount }: Extract<Applied, { verdict: 'refused' }>, left: FileFaults): Refusal {
  const all = [...left.faults, ...stockRowErrors(faults)].toSorted((a, b) => a.line - b.line).slice(0, maxKeptFaults);
  return { reason: all[0]?.code ?? 'NEGATIVE_STOCK', faults: all, faultCount: left.faultCount + Number(faultCount) };
}
