import type { ObjectStore, StoredVersion } from '@leasehold/object-store';
import type { Clock } from '@leasehold/service';
import { withinTime, type SourceVersion } from '@leasehold/worker-runtime';
import { tooLate } from '../reasons.js';
import type { PictureLimits } from '../rendering/limits.js';
import type { MakingOptions } from '../rendering/photo-making.js';
import type { MadePhoto, PictureOrder } from '../rendering/picture-order.js';
import { fetchSource } from './fetch-source.js';
import { SourceMemory } from './source-memory.js';
import { storePhoto, type StoringOptions } from './store-photo.js';

/** What a run consists of, one after the other; `store` once per picture. Between any two of them it may be told to stop. All throw PhotoFault. */
export interface PhotoSteps {
  fetch(source: SourceVersion, signal: AbortSignal): Promise<Buffer>;
  /** Judges the file by its header, then decodes and encodes. */
  make(bytes: Buffer, order: PictureOrder, o: { readonly signal: AbortSignal; readonly onJudged: () => void }): Promise<MadePhoto>;
  store(key: string, bytes: Buffer, o: StoringOptions): Promise<StoredVersion>;
}

/** Makes photos, and stops when the signal fires. */
export interface Studio {
  make(bytes: Buffer, o: MakingOptions & { readonly signal: AbortSignal }): Promise<MadePhoto>;
}

export interface StepsOptions {
  readonly store: ObjectStore;
  /** Where photos are made: a PicturePool. */
  readonly studio: Studio;
  readonly limits: PictureLimits;
  /** Runs at once, and so sources in memory. */
  readonly runs: number;
  /** How long one call to the store may take, in ms. */
  readonly storeTimeoutMs: number;
  readonly clock: Clock;
}

export function photoSteps({ store, studio, limits, runs, storeTimeoutMs: limitMs, clock }: StepsOptions): PhotoSteps {
  const memory = new SourceMemory({ most: runs });
  return {
    fetch: (source, signal) => withinTime({ clock, limitMs, signal, late: tooLate('fetch', limitMs) }, (either) => fetchSource(store, source, { maxBytes: limits.maxBytes, signal: either, memory: (sizeBytes) => memory.take(sizeBytes) })),
    make: (bytes, order, { signal, onJudged }) => studio.make(bytes, { order, limits, onJudged, signal }).finally(() => memory.giveBack(bytes)),
    store: (key, bytes, { contentType, signal }) => withinTime({ clock, limitMs, signal, late: tooLate('store', limitMs) }, (either) => storePhoto(store, key, bytes, { contentType, signal: either })),
  };
}
