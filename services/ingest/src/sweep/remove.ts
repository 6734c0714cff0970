import type { DeleteMarker, ListedVersion, ObjectStore } from '@leasehold/object-store';
import type { Metrics } from '../figures/metrics.js';

export type Listed = ListedVersion | DeleteMarker;

export type SweptKind = 'upload' | 'rendition' | 'shipment';

export interface RemoveParts {
  readonly store: ObjectStore;
  readonly metrics: Metrics;
}

/** Removes one version for good and counts it. Two at once are no harm. */
export async function remove({ store, metrics }: RemoveParts, object: Listed, kind: SweptKind, pass: 'file' | 'bucket', signal: AbortSignal): Promise<number> {
  await store.deleteVersion(object.key, object.versionId, { signal });
  const bytes = object.deleteMarker ? 0 : object.sizeBytes;
  metrics.sweptObjects.inc({ kind, pass });
  metrics.sweptBytes.inc({ kind, pass }, bytes);
  return bytes;
}
