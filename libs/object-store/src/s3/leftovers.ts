import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import type { BucketCalls } from './bucket-calls.js';

/**
 * Aborts multipart uploads that began longer ago than `olderThanMs`: those of killed writers, whose parts take room and are in no listing of versions. Looks at
 * the first thousand; the next open looks again. Answers how many.
 */
export async function sweepLeftovers(calls: BucketCalls, o: { readonly olderThanMs: number; readonly now: () => number }): Promise<number> {
  const { Uploads = [] } = await calls.call('open', undefined, (call) => calls.client.send(new ListMultipartUploadsCommand({ Bucket: calls.bucket }), call));
  const stale = Uploads.filter(({ Initiated }) => Initiated !== undefined && o.now() - Initiated.getTime() >= o.olderThanMs);
  for (const { Key, UploadId } of stale) {
    await calls.call('open', undefined, (call) => calls.client.send(new AbortMultipartUploadCommand({ Bucket: calls.bucket, Key, UploadId }), call));
  }
  return stale.length;
}
