import { FileState, type File } from '@leasehold/client';
import type { PhotoState } from './photo.js';

/** A card whose job has just ended is QUEUED until its outcome arrives, a moment later. One that waits for another attempt stays so for longer. */
const settlingMs = 1_000;

/** From the cards that a watch yields to what people are shown. */
export class Course {
  readonly #show: (state: PhotoState) => void;
  #attempt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (state: PhotoState) => void) {
    this.#show = show;
  }

  /** The last attempt that was seen; 0 when none was. */
  get attempt(): number {
    return this.#attempt;
  }

  begin(): void {
    this.#show({ word: 'UPLOADING', attempt: 0, percent: 0, stage: '' });
  }

  heard({ state, progress }: File): void {
    clearTimeout(this.#timer);
    if (progress === undefined) return;
    const { attempt, percent, stage } = progress;
    this.#attempt = Math.max(this.#attempt, attempt);
    if (state === FileState.PROCESSING) this.#show({ word: 'PROCESSING', attempt, percent, stage });
    else if (attempt === 0) this.#show({ word: 'QUEUED', attempt, percent: 0, stage: '' });
    else this.#timer = setTimeout(() => this.#show({ word: 'QUEUED', attempt, percent: 0, stage: '' }), settlingMs);
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}
