import { ListObjectVersionsCommand, type ListObjectVersionsCommandOutput } from '@aws-sdk/client-s3';
import type { DeleteMarker, ListedVersion } from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import type { BucketCalls } from './bucket-calls.js';

type Entry = ListedVersion | DeleteMarker;
type Listed = AsyncGenerator<Entry, void, void>;

/** By key, then newest first, one page in memory at a time. */
export async function* listPrefix(calls: BucketCalls, prefix: string, o: { readonly signal: AbortSignal | undefined; readonly pageSize: number }): Listed {
  let from: { KeyMarker?: string; VersionIdMarker?: string } = {};
  for (;;) {
    const command = new ListObjectVersionsCommand({ Bucket: calls.bucket, Prefix: prefix, MaxKeys: o.pageSize, EncodingType: 'url', ...from });
    const page = await calls.call('list', o.signal, (call) => calls.client.send(command, call));
    const entries = entriesOf(page);
    for (const entry of entries) {
      o.signal?.throwIfAborted();
      yield entry;
    }
    if (page.IsTruncated !== true) return;
    const { NextVersionIdMarker } = page;
    from = { KeyMarker: nextKeyMarker(page, entries.at(-1)?.key), ...(NextVersionIdMarker === undefined ? {} : { VersionIdMarker: NextVersionIdMarker }) };
  }
}

/** It is the page's last key. Ceph leaves it as it is where Amazon encodes it, so `%41` could mean either of two keys; the key itself cannot. */
export function nextKeyMarker(page: ListObjectVersionsCommandOutput, lastKey: string | undefined): string {
  const { NextKeyMarker } = page;
  if (NextKeyMarker === undefined) throw new StoreFault('unavailable', 'list: the store left out where its next page begins');
  const next = decoded(page, NextKeyMarker);
  return NextKeyMarker === lastKey || next === lastKey ? lastKey : next;
}

/** A key sorts before every longer one that begins with it. */
export async function* listKey(calls: BucketCalls, key: string, o: { readonly signal: AbortSignal | undefined; readonly pageSize: number }): Listed {
  for await (const entry of listPrefix(calls, key, o)) {
    if (entry.key !== key) return;
    yield entry;
  }
}

/**
 * The page's entries in order. The SDK gives versions and markers apart, each in the store's order; they are merged by key, then by time. Where a store tells
 * time in whole seconds, the latest one comes first all the same, and a version and a marker behind it may change places within a second.
 */
export function entriesOf(page: ListObjectVersionsCommandOutput): Entry[] {
  const found = [
    ...(page.Versions ?? []).map(({ Key, VersionId, LastModified, IsLatest, Size }) => ({ Key, VersionId, LastModified, IsLatest, sizeBytes: Size })),
    ...(page.DeleteMarkers ?? []).map(({ Key, VersionId, LastModified, IsLatest }) => ({ Key, VersionId, LastModified, IsLatest, sizeBytes: undefined })),
  ];
  const entries = found.map(({ Key, VersionId: versionId, LastModified: storedAt, IsLatest, sizeBytes }) => {
    if (Key === undefined || versionId === undefined || storedAt === undefined) throw new StoreFault('unavailable', 'list: an entry without a key, a version or a time');
    const key = decoded(page, Key);
    const entry: Entry = sizeBytes === undefined ? { key, versionId, storedAt, deleteMarker: true } : { key, versionId, sizeBytes, storedAt, deleteMarker: false };
    return { entry, bytes: Buffer.from(key), latest: IsLatest === true ? 0 : 1 };
  });
  return entries
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes) || a.latest - b.latest || b.entry.storedAt.getTime() - a.entry.storedAt.getTime())
    .map(({ entry }) => entry);
}

/** As XML cannot hold every character of a key, the store was asked to encode them: Amazon writes a space as `+`, Ceph as `%20`. */
function decoded(page: ListObjectVersionsCommandOutput, key: string): string {
  if (page.EncodingType !== 'url') return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key; // A marker that was not encoded, with a percent sign of its own.
  }
}
