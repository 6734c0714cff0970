import type { RunningJob } from '@leasehold/worker-runtime';
import type { Figures } from '../figures.js';

// Reading is what takes long, and the only part that can be measured.
const READING_FROM = 2;
const READING_TO = 80;

/** What those who watch an import see of its run: stages `fetching`, `reading`, `applying`, with rows and bytes. */
export class ImportProgress {
  readonly #show: RunningJob<unknown>['progress'];
  readonly #figures: Figures;
  readonly #bytesTotal: number;
  #rows = 0;
  #bytes = 0;

  constructor(o: { bytesTotal: number; show: RunningJob<unknown>['progress']; figures: Figures }) {
    this.#bytesTotal = o.bytesTotal;
    this.#show = o.show;
    this.#figures = o.figures;
  }

  fetching(): void {
    this.#tell(0, 'fetching');
  }

  /** So many in all. */
  read({ rows, bytes }: { readonly rows: number; readonly bytes: number }): void {
    this.#figures.read(rows - this.#rows, bytes - this.#bytes);
    this.#rows = rows;
    this.#bytes = bytes;
    const share = this.#bytesTotal === 0 ? 1 : bytes / this.#bytesTotal;
    this.#tell(READING_FROM + share * (READING_TO - READING_FROM), 'reading');
  }

  applying(): void {
    this.#tell(READING_TO, 'applying');
  }

  #tell(percent: number, stage: string): void {
    this.#show(percent, stage, { items: this.#rows, bytes: this.#bytes, bytesTotal: this.#bytesTotal });
  }
}
