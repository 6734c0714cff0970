import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedRequest } from '../object-store.js';
import { StoreFault } from '../store-fault.js';

/** Who signs, and where the requests go. */
export interface Signing {
  /** Each at least 32 bytes. The first signs, all verify: to change the secret, put the new one first and drop the old one after 7 days. */
  readonly secrets: readonly string[];
  /** The HTTP endpoint that calls verifySignedRequest, without a query: `https://files.example.net/objects`. It is not signed. */
  readonly baseUrl: string;
}

export interface UploadGrant {
  readonly operation: 'upload';
  readonly key: string;
  /** Unset: any. */
  readonly contentType?: string | undefined;
  /** For the put: it enforces the limit while the bytes arrive. */
  readonly maxBytes: number;
  /** Set: the request has exactly this length. */
  readonly sizeBytes?: number | undefined;
  readonly expireTime: Date;
}

export interface DownloadGrant {
  readonly operation: 'download';
  readonly key: string;
  readonly versionId: string;
  /** Answer with this one, and with `x-content-type-options: nosniff`. */
  readonly contentType: string;
  readonly expireTime: Date;
}

export type Grant = UploadGrant | DownloadGrant;

/**
 * - `malformed`: not a request that signUpload or signDownload could have given (parameters missing, unknown or twice)
 * - `bad_signature`: changed after signing, signed by an unknown secret, or sent with another method
 * - `expired`: was right once
 * - `wrong_content_type`: an upload that does not carry the signed Content-Type
 * - `wrong_length`: an upload whose Content-Length is not the signed one
 */
export type GrantRefusal = 'malformed' | 'bad_signature' | 'expired' | 'wrong_content_type' | 'wrong_length';

export type VerifiedRequest = { readonly ok: true; readonly grant: Grant } | { readonly ok: false; readonly reason: GrantRefusal };

const parameters = ['key', 'version_id', 'max_bytes', 'size_bytes', 'content_type', 'expires_at_ms'] as const;
type Values = Record<(typeof parameters)[number], string | null>;

const methodOf = { upload: 'PUT', download: 'GET' } as const;

/** Throws `invalid` for secrets that are too short, or a base URL that is none. */
export function checkSigning({ secrets, baseUrl }: Signing): void {
  if (secrets.length === 0 || secrets.some((secret) => Buffer.byteLength(secret) < 32)) {
    throw new StoreFault('invalid', 'signing needs at least one secret, each of at least 32 bytes');
  }
  if (!URL.canParse(baseUrl) || new URL(baseUrl).search !== '') throw new StoreFault('invalid', 'baseUrl must be a URL without a query');
}

/** The request that verifySignedRequest answers with this grant. */
export function signGrant(grant: Grant, { secrets: [secret], baseUrl }: Signing): SignedRequest {
  if (secret === undefined) throw new StoreFault('invalid', 'signing needs at least one secret');
  const method = methodOf[grant.operation];
  const values = valuesOf(grant);
  const url = new URL(baseUrl);
  for (const name of parameters) if (values[name] !== null) url.searchParams.set(name, values[name]);
  url.searchParams.set('signature', signature(secret, method, values).toString('base64url'));
  const headers = grant.operation === 'upload' && grant.contentType !== undefined ? { 'content-type': grant.contentType } : {};
  return { url: url.href, method, headers, expireTime: grant.expireTime };
}

/**
 * For the HTTP edge that serves signed requests: what the sender may do, or why nothing. `url` is the request's target as it arrived
 * (`/objects?key=…`; host and path are not looked at), `contentType` and `contentLength` its headers of that name, `nowMs` milliseconds since 1970. Signatures are
 * compared in constant time, against every secret. Never throws.
 */
export function verifySignedRequest(
  request: { readonly method: string; readonly url: string; readonly contentType?: string | undefined; readonly contentLength?: string | undefined },
  o: { readonly secrets: readonly string[]; readonly nowMs: number },
): VerifiedRequest {
  const read = valuesIn(request.url);
  if (read === undefined) return { ok: false, reason: 'malformed' };
  if (!isSigned(o.secrets, request.method, read)) return { ok: false, reason: 'bad_signature' };
  const grant = grantOf(request.method, read.values);
  if (grant === undefined) return { ok: false, reason: 'malformed' };
  if (o.nowMs >= grant.expireTime.getTime()) return { ok: false, reason: 'expired' };
  if (grant.operation === 'upload' && grant.contentType !== undefined && grant.contentType !== request.contentType) {
    return { ok: false, reason: 'wrong_content_type' };
  }
  if (grant.operation === 'upload' && grant.sizeBytes !== undefined && String(grant.sizeBytes) !== request.contentLength) return { ok: false, reason: 'wrong_length' };
  return { ok: true, grant };
}

// A JSON array, so that no two sets of values can give the same text; the label keeps other uses of the secret apart.
const signature = (secret: string, method: string, values: Values): Buffer => createHmac('sha256', secret)
  .update(JSON.stringify(['leasehold object request', method, ...parameters.map((name) => values[name])])).digest();

function isSigned(secrets: readonly string[], method: string, { values, signed }: { values: Values; signed: Buffer }): boolean {
  let matches = 0;
  for (const secret of secrets) {
    const expected = signature(secret, method, values);
    if (expected.length === signed.length && timingSafeEqual(expected, signed)) matches += 1;
  }
  return matches > 0;
}

function valuesIn(url: string): { values: Values; signed: Buffer } | undefined {
  if (!URL.canParse(url, 'http://edge')) return undefined;
  const query = new URL(url, 'http://edge').searchParams;
  const names = [...query.keys()];
  const known: readonly string[] = [...parameters, 'signature'];
  if (names.length !== new Set(names).size || names.some((name) => !known.includes(name))) return undefined;
  const [key, version_id, max_bytes, size_bytes, content_type, expires_at_ms] = [
    query.get('key'), query.get('version_id'), query.get('max_bytes'), query.get('size_bytes'), query.get('content_type'), query.get('expires_at_ms')];
  const signed = Buffer.from(query.get('signature') ?? '', 'base64url');
  return { values: { key, version_id, max_bytes, size_bytes, content_type, expires_at_ms }, signed };
}

const valuesOf = (grant: Grant): Values => ({
  key: grant.key,
  version_id: grant.operation === 'download' ? grant.versionId : null,
  max_bytes: grant.operation === 'upload' ? String(grant.maxBytes) : null,
  size_bytes: grant.operation === 'upload' && grant.sizeBytes !== undefined ? String(grant.sizeBytes) : null,
  content_type: grant.contentType ?? null,
  expires_at_ms: String(grant.expireTime.getTime()),
});

function grantOf(method: string, values: Values): Grant | undefined {
  const { key, version_id: versionId, max_bytes: maxBytes, size_bytes: sizeBytes, content_type: contentType, expires_at_ms: expiresAtMs } = values;
  if (key === null || expiresAtMs === null) return undefined;
  const expireTime = new Date(Number(expiresAtMs));
  if (method === methodOf.upload && maxBytes !== null) {
    const bound = { ...(contentType === null ? {} : { contentType }), ...(sizeBytes === null ? {} : { sizeBytes: Number(sizeBytes) }) };
    return { operation: 'upload', key, ...bound, maxBytes: Number(maxBytes), expireTime };
  }
  if (method === methodOf.download && versionId !== null && contentType !== null) {
    return { operation: 'download', key, versionId, contentType, expireTime };
  }
  return undefined;
}
