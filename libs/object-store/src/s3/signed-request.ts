import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { DownloadGrantOptions, SignedRequest, UploadGrantOptions } from '../object-store.js';
import { asStoreFault } from './s3-fault.js';
import type { BucketCalls } from './bucket-calls.js';

export type Headers = Readonly<Record<string, string>>;

/**
 * A PUT of the key. The signature covers method, key, expiry, the content type where one is named, the exact length where one is named, and `bound`: further
 * headers that the request must carry as they are here. S3 cannot bind a largest length.
 */
export async function signPut(calls: BucketCalls, key: string, o: Omit<UploadGrantOptions, 'maxBytes'>, bound: Headers, nowMs: number): Promise<SignedRequest> {
  const { contentType, sizeBytes } = o;
  const command = new PutObjectCommand({
    Bucket: calls.bucket,
    Key: key,
    ...(contentType === undefined ? {} : { ContentType: contentType }),
    ...(sizeBytes === undefined ? {} : { ContentLength: sizeBytes }),
  });
  command.middlewareStack.add((next) => (args) => {
    const { request } = args;
    if (hasHeaders(request)) Object.assign(request.headers, bound);
    return next(args);
  }, { step: 'build', name: 'leaseholdBoundHeaders' });
  // The SDK makes up a content type where none is named: signing that one would refuse every other.
  const signableHeaders = ['host', ...(contentType === undefined ? [] : ['content-type']), ...(sizeBytes === undefined ? [] : ['content-length']), ...Object.keys(bound)];
  const url = await signed(calls, command, o.expiresInMs, nowMs, { signableHeaders: new Set(signableHeaders), unhoistableHeaders: new Set(Object.keys(bound)) });
  // Every HTTP client sends the length by itself, and a browser lets nobody name it.
  return { ...url, method: 'PUT', headers: { ...(contentType === undefined ? {} : { 'content-type': contentType }), ...bound } };
}

/** A GET of exactly the version, answered under this content type. */
export async function signGet(calls: BucketCalls, key: string, versionId: string, o: DownloadGrantOptions, nowMs: number): Promise<SignedRequest> {
  const command = new GetObjectCommand({ Bucket: calls.bucket, Key: key, VersionId: versionId, ResponseContentType: o.contentType });
  return { ...await signed(calls, command, o.expiresInMs, nowMs, {}), method: 'GET', headers: {} };
}

interface SignedHeaders {
  readonly signableHeaders?: Set<string>;
  readonly unhoistableHeaders?: Set<string>;
}

async function signed(calls: BucketCalls, command: GetObjectCommand | PutObjectCommand, expiresInMs: number, nowMs: number, headers: SignedHeaders): Promise<{ url: string; expireTime: Date }> {
  // S3 counts from a whole second and in whole seconds: not a moment longer than was asked for, but a second at least.
  const startSeconds = Math.floor(nowMs / 1000);
  const expiresIn = Math.max(1, Math.floor((nowMs + expiresInMs) / 1000) - startSeconds);
  const o = { ...headers, expiresIn, signingDate: new Date(startSeconds * 1000) };
  try {
    const url = command instanceof GetObjectCommand ? await getSignedUrl(calls.client, command, o) : await getSignedUrl(calls.client, command, o);
    return { url, expireTime: new Date((startSeconds + expiresIn) * 1000) };
  } catch (error) {
    throw asStoreFault('sign', error);
  }
}

const hasHeaders = (request: unknown): request is { headers: Record<string, string> } => typeof request === 'object' && request !== null && 'headers' in request && typeof request.headers === 'object';
