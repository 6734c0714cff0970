import {
  AbortMultipartUploadCommand, CompleteMultipartUploadCommand, CreateMultipartUploadCommand, PutObjectCommand, UploadPartCommand, type CompletedPart,
} from '@aws-sdk/client-s3';
import type { PutOptions, StoredVersion } from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import { BodyParts } from './body-parts.js';
import type { BucketCalls } from './bucket-calls.js';
import { statusOf } from './s3-fault.js';

/** Where the SHA-256 of a version's bytes is kept, as hex: `x-amz-meta-leasehold-sha256`. */
export const sha256Metadata = 'leasehold-sha256';

// S3's bound.
const maxParts = 10_000;
const cleanUpMs = 5_000;

/**
 * Stores a body. One that fits into a part goes up in one request, with its SHA-256 in the metadata. A larger one is a multipart upload: its metadata is fixed
 * before its first byte, so only the put's answer tells its SHA-256. What the body throws comes out as it is.
 */
export async function writeVersion(calls: BucketCalls, key: string, body: AsyncIterable<Uint8Array>, o: PutOptions & { readonly partBytes: number }): Promise<StoredVersion> {
  const parts = new BodyParts(body, o);
  try {
    const first = await parts.next();
    const versionId = first.last ? await putWhole(calls, key, first.bytes, parts.sha256(), o) : await putParts(calls, key, first.bytes, parts, o);
    return { key, versionId, sizeBytes: parts.sizeBytes, sha256: parts.sha256() };
  } finally {
    parts.close();
  }
}

async function putWhole(calls: BucketCalls, Key: string, Body: Buffer, sha256: Buffer, { contentType, signal }: PutOptions): Promise<string> {
  const command = new PutObjectCommand({ Bucket: calls.bucket, Key, Body, ContentType: contentType, Metadata: { [sha256Metadata]: sha256.toString('hex') } });
  const { VersionId } = await calls.call('put', signal, (o) => calls.client.send(command, o));
  return stored(VersionId);
}

async function putParts(calls: BucketCalls, Key: string, first: Buffer, rest: BodyParts, { contentType, signal }: PutOptions): Promise<string> {
  const target = { Bucket: calls.bucket, Key };
  const { UploadId } = await calls.call('put', signal, (o) => calls.client.send(new CreateMultipartUploadCommand({ ...target, ContentType: contentType }), o));
  const upload = { ...target, UploadId };
  const failed = new AbortController();
  const sending = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const send = async (PartNumber: number, Body: Buffer): Promise<CompletedPart> => {
    const { ETag } = await calls.call('put', sending, (o) => calls.client.send(new UploadPartCommand({ ...upload, PartNumber, Body }), o));
    return { PartNumber, ...(ETag === undefined ? {} : { ETag }) };
  };
  let inFlight = send(1, first);
  const sent: CompletedPart[] = [];
  let mayBeComplete = false;
  try {
    for (let number = 2, last = false; !last; number += 1) {
      // The next part fills while the last one is sent. A part that fails is told when it is awaited.
      inFlight.catch(() => undefined);
      if (number > maxParts) throw new StoreFault('too_large', `more than ${maxParts} parts`);
      const part = await rest.next();
      sent.push(await inFlight);
      inFlight = send(number, part.bytes);
      ({ last } = part);
    }
    sent.push(await inFlight);
    signal?.throwIfAborted();
    mayBeComplete = true;
    const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: sent } });
    const { VersionId, $metadata } = await calls.call('put', signal, (o) => calls.client.send(complete, o));
    // Asked again after an answer that was lost, Ceph says yes and leaves the version out.
    if (VersionId === undefined && ($metadata.attempts ?? 1) > 1) throw new StoreFault('unavailable', 'put: which version it became was lost');
    return stored(VersionId);
  } catch (error) {
    failed.abort();
    await inFlight.catch(() => undefined);
    // An upload whose end may still be under way must not be aborted: that could take the version's bytes. It counts as a leftover.
    if (!mayBeComplete || refused(error)) await giveUp(calls, upload);
    throw error;
  }
}

async function giveUp(calls: BucketCalls, upload: { Bucket: string; Key: string; UploadId: string | undefined }): Promise<void> {
  try {
    const late = AbortSignal.timeout(cleanUpMs);
    await calls.call('put', late, (o) => calls.client.send(new AbortMultipartUploadCommand(upload), o));
  } catch {
    // The put has failed with an error of its own; its parts are swept as leftovers.
  }
}

const refused = (error: unknown): boolean => error instanceof StoreFault && (statusOf(error.cause) ?? 500) < 500;

function stored(versionId: string | undefined): string {
  if (versionId === undefined || versionId === 'null') throw new StoreFault('unversioned', 'the bucket keeps no versions any more: what was stored may have replaced another object');
  return versionId;
}
