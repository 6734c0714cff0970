import type { ObjectStore, StoredVersion } from '@leasehold/object-store';
import type { Clock } from '@leasehold/service';
import { inspectPicture, type Picture } from '../rendering/picture.js';
import { renderWebp, type RenderLimits, type RenditionSpec, type WebpPhoto } from '../rendering/rendition.js';
import { fetchSource } from './fetch-source.js';
import type { Source } from './order.js';
import { storePhoto } from './store-photo.js';
import { withinTime } from './time-limit.js';

/** What a run consists of, one after the other. Between any two of them it may be told to stop. All throw PhotoFault. */
export interface PhotoSteps {
  fetch(source: Source, signal: AbortSignal): Promise<Buffer>;
  /** Judges the file by its header. */
  inspect(bytes: Buffer): Promise<Picture>;
  render(picture: Picture, spec: RenditionSpec): Promise<WebpPhoto>;
  store(key: string, bytes: Buffer, signal: AbortSignal): Promise<StoredVersion>;
}

export interface StepsOptions {
  readonly store: ObjectStore;
  readonly limits: RenderLimits;
  /** How long one call to the store may take, in ms. */
  readonly storeTimeoutMs: number;
  readonly clock: Clock;
}

export function photoSteps({ store, limits, storeTimeoutMs: limitMs, clock }: StepsOptions): PhotoSteps {
  return {
    fetch: (source, signal) => withinTime({ clock, limitMs, signal, what: 'fetch' }, (either) => fetchSource(store, source, { maxBytes: limits.maxBytes, signal: either })),
    inspect: (bytes) => inspectPicture(bytes, limits),
    render: (picture, spec) => renderWebp(picture, spec, limits),
    store: (key, bytes, signal) => withinTime({ clock, limitMs, signal, what: 'store' }, (either) => storePhoto(store, key, bytes, either)),
  };
}
