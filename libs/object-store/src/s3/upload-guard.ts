import { randomUUID } from 'node:crypto';
import { StoreFault } from '../store-fault.js';
import type { BucketCalls } from './bucket-calls.js';
import { listPrefix } from './listing.js';
import { asStoreFault } from './s3-fault.js';
import { type Headers, signPut } from './signed-request.js';
import { sha256Metadata } from './write-version.js';

/**
 * What a signed upload must carry on a store that also takes headers which the signature does not cover, as Ceph does and Amazon does not. Whoever held such a URL
 * could otherwise add `x-amz-copy-source` and have the store copy any object of the bucket to the key that they may write, add `x-amz-acl` and publish theirs,
 * or record a SHA-256 of their choice.
 */
const guard: Headers = {
  // Of a copy, a directive that does not exist is refused; of a plain upload it is not looked at.
  'x-amz-metadata-directive': 'none',
  'x-amz-acl': 'bucket-owner-full-control',
  [`x-amz-meta-${sha256Metadata}`]: 'unknown',
};

const probeSeconds = 60;

/**
 * Finds out, by trying it on keys of its own, whether this store lets a signed upload be bent, and answers the headers that prevent it: none where it refuses by
 * itself. Rejects with `unsupported` where the guard does not help.
 */
export async function guardFor(calls: BucketCalls, o: { readonly now: () => number; readonly timeoutMs: number; put(key: string, text: string): Promise<unknown>; remove(key: string, versionId: string): Promise<void> }): Promise<Headers> {
  const folder = `probes/${randomUUID()}/`;
  const source = `/${calls.bucket}/${folder}source`;
  const attempt = async (bound: Headers, more: Headers): Promise<boolean> => {
    const { url, method, headers } = await signPut(calls, `${folder}target`, { expiresInMs: probeSeconds * 1000 }, bound, o.now());
    return accepted(url, { method, headers: { ...headers, ...more }, signal: AbortSignal.timeout(o.timeoutMs) });
  };
  try {
    await o.put(`${folder}source`, 'somebody else\'s');
    if (!(await attempt({}, { 'x-amz-copy-source': source }))) return {};
    if (!(await attempt(guard, {}))) throw new StoreFault('unsupported', 'this store would let holders of an upload URL copy other objects, and refuses the headers that prevent it');
    if (await attempt(guard, { 'x-amz-copy-source': source })) throw new StoreFault('unsupported', 'this store would let holders of an upload URL copy other objects: it signs no uploads');
    return guard;
  } finally {
    for await (const { key, versionId } of listPrefix(calls, folder, { signal: undefined, pageSize: 100 })) await o.remove(key, versionId);
  }
}

async function accepted(url: string, init: RequestInit): Promise<boolean> {
  let response: Response;
  try {
    response = await fetch(url, init);
    await response.arrayBuffer();
  } catch (error) {
    throw asStoreFault('sign', error);
  }
  if (response.status >= 500) throw new StoreFault('unavailable', `sign: HTTP ${response.status}`);
  return response.ok;
}
