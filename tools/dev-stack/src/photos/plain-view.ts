import type { Terminal } from '../terminal.js';
import type { Photo, PhotoResult, PhotoState } from './photo.js';
import type { ProgressView } from './progress-view.js';
import { endWords, fitted, nameWidth, stateWords } from './words.js';

/** A line for each change of state or attempt: for logs and pipes. */
export class PlainView implements ProgressView {
  readonly #terminal: Terminal;
  readonly #width: number;
  readonly #total: number;
  readonly #shown = new Map<Photo, string>();
  #ended = 0;

  constructor(terminal: Terminal, photos: readonly Photo[]) {
    this.#terminal = terminal;
    this.#width = nameWidth(photos.map(({ label }) => label));
    this.#total = photos.length;
  }

  changed(photo: Photo, state: PhotoState): void {
    const words = stateWords({ ...state, stage: '' });
    if (this.#shown.get(photo) === words) return;
    this.#shown.set(photo, words);
    this.#terminal.line(`  ${fitted(photo.label, this.#width)}  ${words}`);
  }

  ended(result: PhotoResult): void {
    this.#ended += 1;
    this.#terminal.line(`  ${fitted(result.photo.label, this.#width)}  ${endWords(result, this.#terminal.colours)}  (${this.#ended}/${this.#total})`);
  }

  close(): void {}
}
