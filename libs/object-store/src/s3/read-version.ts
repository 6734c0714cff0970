import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadBucketCommand, HeadObjectCommand, type GetObjectCommandOutput, type HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { abortable } from '../abortable.js';
import { checkWanted } from '../argument-rules.js';
import type { GetOptions, ObjectVersion } from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import type { BucketCalls } from './bucket-calls.js';
import { asStoreFault, statusOf } from './s3-fault.js';
import { sha256Metadata } from './write-version.js';

/** Looks at the version itself. */
export async function headVersion(calls: BucketCalls, key: string, versionId: string, signal: AbortSignal | undefined): Promise<ObjectVersion> {
  requireId(versionId);
  try {
    const command = new HeadObjectCommand({ Bucket: calls.bucket, Key: key, VersionId: versionId });
    return versionIn(key, versionId, await calls.call('head', signal, (o) => calls.client.send(command, o)));
  } catch (error) {
    if (!mayBeMissing(error)) throw error;
    // An answer to HEAD has no body that would tell a missing version, an id that is none of this store's, and a missing bucket apart.
    await calls.call('head', signal, (o) => calls.client.send(new HeadBucketCommand({ Bucket: calls.bucket }), o));
    throw new StoreFault('not_found', 'no such version', { cause: error });
  }
}

/** Asks for the version; its bytes come as they are read. */
export async function readVersion(calls: BucketCalls, key: string, versionId: string, o: GetOptions & { readonly stallMs: number }): Promise<{ version: ObjectVersion; body: AsyncIterable<Uint8Array> }> {
  requireId(versionId);
  const command = new GetObjectCommand({ Bucket: calls.bucket, Key: key, VersionId: versionId });
  let output: GetObjectCommandOutput;
  try {
    output = await calls.call('get', o.signal, (call) => calls.client.send(command, call));
  } catch (error) {
    // Amazon's word for a version id that is none of its own, but not only for that.
    if (error instanceof StoreFault && statusOf(error.cause) === 400) await headVersion(calls, key, versionId, o.signal);
    throw error;
  }
  const { Body } = output;
  if (!(Body instanceof Readable)) throw new StoreFault('unavailable', 'get: an answer without a body');
  try {
    const version = versionIn(key, versionId, output);
    checkWanted(version, o);
    return { version, body: whole(Body, version, o) };
  } catch (error) {
    Body.destroy();
    throw error;
  }
}

/** The bytes; the last chunk is only given out once size and SHA-256, where that is known, have proved right. */
async function* whole(source: Readable, version: ObjectVersion, o: { readonly signal?: AbortSignal | undefined; readonly stallMs: number }): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  let held: Uint8Array | undefined;
  try {
    for await (const chunk of abortable(awaited(source, o.stallMs), o.signal)) {
      if (held !== undefined) yield held;
      held = chunk;
      sizeBytes += chunk.byteLength;
      digest.update(chunk);
    }
  } catch (error) {
    // Between its answer's head and its end the store, or the way to it, went away.
    o.signal?.throwIfAborted();
    throw asStoreFault('get', error);
  } finally {
    source.destroy();
  }
  if (sizeBytes !== version.sizeBytes) throw new StoreFault('damaged', `${sizeBytes} bytes came, ${version.sizeBytes} were announced`);
  if (version.sha256?.equals(digest.digest()) === false) throw new StoreFault('damaged', 'the stored bytes do not have the recorded SHA-256');
  if (held !== undefined) yield held;
}

/** Ends a source that is silent for too long. The time that its reader takes does not count. */
async function* awaited(source: Readable, stallMs: number): AsyncGenerator<Uint8Array> {
  const stalled = (): unknown => source.destroy(new StoreFault('unavailable', `get: nothing came for ${stallMs} ms`));
  let timer = setTimeout(stalled, stallMs);
  try {
    for await (const chunk of source) {
      clearTimeout(timer);
      if (!(chunk instanceof Uint8Array)) throw new StoreFault('unavailable', 'get: what came is no bytes');
      yield chunk;
      timer = setTimeout(stalled, stallMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

function versionIn(key: string, versionId: string, output: HeadObjectCommandOutput | GetObjectCommandOutput): ObjectVersion {
  const { ContentLength, ContentType, LastModified, Metadata, VersionId } = output;
  if (VersionId !== versionId) throw new StoreFault('damaged', 'the store answered with another version than was asked for');
  if (ContentLength === undefined || LastModified === undefined) throw new StoreFault('unavailable', 'the store answered without a size or a time');
  const recorded = Metadata?.[sha256Metadata] ?? '';
  const sha256 = /^[0-9a-f]{64}$/.test(recorded) ? { sha256: Buffer.from(recorded, 'hex') } : {};
  return { key, versionId, sizeBytes: ContentLength, contentType: ContentType ?? 'application/octet-stream', storedAt: LastModified, deleteMarker: false, ...sha256 };
}

/** Without one, S3 reads the latest version. */
function requireId(versionId: string): void {
  if (versionId === '') throw new StoreFault('not_found', 'no such version');
}

const mayBeMissing = (error: unknown): boolean => error instanceof StoreFault && [400, 404, 405].includes(statusOf(error.cause) ?? 0);
