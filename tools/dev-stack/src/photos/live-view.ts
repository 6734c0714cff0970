import { MultiBar, type SingleBar } from 'cli-progress';
import { seconds, type Colours } from '../terminal.js';
import type { Photo, PhotoResult, PhotoState } from './photo.js';
import type { ProgressView } from './progress-view.js';
import { endWords, fitted, nameWidth, stateWords } from './words.js';

const barWidth = 24;

/** Draws the photos under way and a bar for all of them over and over; what has ended stays above as a line. */
export class LiveView implements ProgressView {
  readonly #colours: Colours;
  readonly #photos: readonly Photo[];
  readonly #width: number;
  readonly #bars: MultiBar;
  readonly #underWay = new Map<Photo, { readonly startedAt: number; state: PhotoState }>();
  readonly #startedAt = performance.now();
  readonly #lines: SingleBar[] = [];
  #ended = 0;
  #closed = false;

  constructor(stream: NodeJS.WritableStream, colours: Colours, photos: readonly Photo[], concurrency: number) {
    this.#colours = colours;
    this.#photos = photos;
    this.#width = nameWidth(photos.map(({ label }) => label));
    // Interrupts are the stack's to handle; a bar that ends the cursor's hiding by itself would race with it.
    this.#bars = new MultiBar({ stream, hideCursor: true, gracefulExit: false, forceRedraw: true, clearOnComplete: true, fps: 10, format: (_options, _params, payload: Payload) => payload.draw() });
    // A fixed number of places: adding and removing lines makes terminals flicker.
    const places = Math.min(concurrency, photos.length);
    for (let place = 0; place < places; place += 1) this.#lines.push(this.#bars.create(1, 0, { draw: () => this.#line(place) }));
    this.#lines.push(this.#bars.create(1, 0, { draw: () => this.#overall() }));
  }

  changed(photo: Photo, state: PhotoState): void {
    const known = this.#underWay.get(photo);
    if (known === undefined) this.#underWay.set(photo, { startedAt: performance.now(), state });
    else known.state = state;
  }

  ended(result: PhotoResult): void {
    this.#underWay.delete(result.photo);
    this.#ended += 1;
    // Cleared to the end: a bar stood there before.
    this.#bars.log(`  ${fitted(result.photo.label, this.#width)}  ${endWords(result, this.#colours)}\u001B[K\n`);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#bars.update(); // Lines that were logged since the last drawing.
    this.#bars.stop();
  }

  #line(place: number): string {
    const entry = [...this.#underWay][place];
    if (entry === undefined) return '';
    const [photo, { state, startedAt }] = entry;
    const bar = state.word === 'PROCESSING' ? this.#bar(state.percent / 100, 10) : ' '.repeat(10);
    return `  ${fitted(photo.label, this.#width)}  ${this.#colours.cyan(stateWords({ ...state, stage: '' }).padEnd(21))}  ${seconds(performance.now() - startedAt).padStart(7)}  ${bar}  ${this.#colours.dim(state.stage)}`;
  }

  #overall(): string {
    const share = [...this.#underWay.values()].reduce((sum, { state }) => sum + state.percent / 100, this.#ended) / this.#photos.length;
    return `  ${this.#bar(share, barWidth)}  ${this.#ended} of ${this.#photos.length}  ${seconds(performance.now() - this.#startedAt)}`;
  }

  #bar(share: number, width: number): string {
    const done = Math.round(Math.min(1, share) * width);
    return this.#colours.green('█'.repeat(done)) + this.#colours.dim('░'.repeat(width - done));
  }
}

interface Payload {
  readonly draw: () => string;
}
