import type { Photo, PhotoResult, PhotoState } from './photo.js';

/** Shows a job while it runs. Two adapters: one draws over its own lines, the other writes a line for each change. */
export interface ProgressView {
  changed(photo: Photo, state: PhotoState): void;
  ended(result: PhotoResult): void;
  /** Nothing more comes. Safe to call twice. */
  close(): void;
}
