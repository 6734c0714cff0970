import { DeleteObjectCommand, GetBucketVersioningCommand, HeadBucketCommand } from '@aws-sdk/client-s3';
import { checkContentType, checkExpiresInMs, checkKey, checkMaxBytes, checkPrefix, checkSizeBytes } from '../argument-rules.js';
import type {
  Abortable, ClockSkew, DeleteMarker, DownloadGrantOptions, GetOptions, ListedVersion, ObjectStore, ObjectVersion, PutOptions, SignedRequest, StoredVersion,
  UploadGrantOptions,
} from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import { BucketCalls, type S3StoreOptions } from './bucket-calls.js';
import { sweepLeftovers } from './leftovers.js';
import { listKey, listPrefix } from './listing.js';
import { headVersion, readVersion } from './read-version.js';
import { codeOf } from './s3-fault.js';
import { type Headers, signGet, signPut } from './signed-request.js';
import { guardFor } from './upload-guard.js';
import { writeVersion } from './write-version.js';

/** The port on a bucket of an S3: see README.md for what it binds and what it cannot. */
export interface S3Store extends ObjectStore {
  readonly bucket: string;
  /** Ends connections; calls under way fail. Safe to call twice. */
  close(): void;
}

const leastPartBytes = 5 * 1024 * 1024;
const staleUploadMs = 24 * 60 * 60 * 1000;

/** Opens the store; acts on nothing but leftovers of killed writers. Faults: `invalid` (options). */
export async function openS3Store(o: S3StoreOptions): Promise<S3Store> {
  checkOptions(o);
  const calls = new BucketCalls(o);
  const now = o.now ?? Date.now;
  // Nothing depends on it, and not every user of the bucket may: what is wrong with the store, the first real call says.
  await sweepLeftovers(calls, { olderThanMs: staleUploadMs, now }).catch(() => 0);
  return new BucketStore(calls, o, now);
}

class BucketStore implements S3Store {
  readonly #calls: BucketCalls;
  readonly #now: () => number;
  readonly #partBytes: number;
  readonly #pageSize: number;
  readonly #attemptTimeoutMs: number;
  #guard: Promise<Headers> | undefined;

  constructor(calls: BucketCalls, o: S3StoreOptions, now: () => number) {
    this.#calls = calls;
    this.#now = now;
    this.#partBytes = o.partBytes ?? 8 * 1024 * 1024;
    this.#pageSize = o.pageSize ?? 1000;
    this.#attemptTimeoutMs = o.attemptTimeoutMs ?? 30_000;
  }

  get bucket(): string {
    return this.#calls.bucket;
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, o: PutOptions): Promise<StoredVersion> {
    checkKey(key);
    checkContentType(o.contentType);
    checkMaxBytes(o.maxBytes, 0);
    o.signal?.throwIfAborted();
    return writeVersion(this.#calls, key, body, { ...o, partBytes: this.#partBytes });
  }

  async get(key: string, versionId: string, o: GetOptions = {}): Promise<{ version: ObjectVersion; body: AsyncIterable<Uint8Array> }> {
    checkKey(key);
    checkMaxBytes(o.maxBytes, 0);
    return readVersion(this.#calls, key, versionId, { ...o, stallMs: this.#attemptTimeoutMs });
  }

  async head(key: string, versionId: string, o: Abortable = {}): Promise<ObjectVersion> {
    checkKey(key);
    return headVersion(this.#calls, key, versionId, o.signal);
  }

  async* listVersions(prefix: string, o: Abortable = {}): AsyncGenerator<ListedVersion | DeleteMarker> {
    checkPrefix(prefix);
    yield* listPrefix(this.#calls, prefix, { signal: o.signal, pageSize: this.#pageSize });
  }

  async* versionsOf(key: string, o: Abortable = {}): AsyncGenerator<ListedVersion | DeleteMarker> {
    checkKey(key);
    yield* listKey(this.#calls, key, { signal: o.signal, pageSize: this.#pageSize });
  }

  async delete(key: string, o: Abortable = {}): Promise<DeleteMarker> {
    checkKey(key);
    const output = await this.#calls.call('delete', o.signal, (call) => this.#calls.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: key }), call));
    const { VersionId: versionId, DeleteMarker: deleteMarker } = output;
    if (deleteMarker !== true || versionId === undefined || versionId === 'null') throw new StoreFault('unversioned', 'the bucket keeps no versions any more: the object may be gone');
    return { key, versionId, storedAt: this.#calls.storeTime(output) ?? new Date(this.#now()), deleteMarker: true };
  }

  async deleteVersion(key: string, versionId: string, o: Abortable = {}): Promise<void> {
    checkKey(key);
    o.signal?.throwIfAborted();
    // Without an id it would be the other kind of delete.
    if (versionId === '') return;
    try {
      const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: key, VersionId: versionId });
      await this.#calls.call('deleteVersion', o.signal, (call) => this.#calls.client.send(command, call));
    } catch (error) {
      // Amazon's word for a version id that is none of its own.
      const foreignId = error instanceof StoreFault && codeOf(error.cause) === 'InvalidArgument';
      if (!foreignId && !(error instanceof StoreFault && error.kind === 'not_found')) throw error;
    }
  }

  async signUpload(key: string, o: UploadGrantOptions): Promise<SignedRequest> {
    checkKey(key);
    if (o.contentType !== undefined) checkContentType(o.contentType);
    checkMaxBytes(o.maxBytes, 1);
    checkSizeBytes(o.sizeBytes, o.maxBytes);
    checkExpiresInMs(o.expiresInMs);
    return signPut(this.#calls, key, o, await this.#uploadGuard(), this.#now());
  }

  async signDownload(key: string, versionId: string, o: DownloadGrantOptions): Promise<SignedRequest> {
    checkKey(key);
    checkContentType(o.contentType);
    checkExpiresInMs(o.expiresInMs);
    return signGet(this.#calls, key, versionId, o, this.#now());
  }

  async checkVersioning(o: Abortable = {}): Promise<void> {
    const { Status } = await this.#calls.call('checkVersioning', o.signal, (call) => this.#calls.client.send(new GetBucketVersioningCommand({ Bucket: this.bucket }), call));
    if (Status !== 'Enabled') throw new StoreFault('unversioned', `the bucket's versioning is ${Status === undefined ? 'not enabled' : Status.toLowerCase()}: turn it on, or name another bucket`);
  }

  async measureClockSkew(o: Abortable = {}): Promise<ClockSkew> {
    const sentMs = this.#now();
    const output = await this.#calls.call('measureClockSkew', o.signal, (call) => this.#calls.client.send(new HeadBucketCommand({ Bucket: this.bucket }), call));
    const heardMs = this.#now();
    const storeTime = this.#calls.storeTime(output);
    if (storeTime === undefined) throw new StoreFault('unavailable', 'measureClockSkew: the store answered without a date');
    // The Date header is cut to the second, and was written at some time between the two.
    return { skewMs: storeTime.getTime() + 500 - (sentMs + heardMs) / 2, uncertaintyMs: 500 + (heardMs - sentMs) / 2 };
  }

  close(): void {
    this.#calls.client.destroy();
  }

  /** Asked for once; again after it failed. */
  #uploadGuard(): Promise<Headers> {
    this.#guard ??= guardFor(this.#calls, {
      now: this.#now,
      timeoutMs: this.#attemptTimeoutMs,
      put: (key, text) => this.put(key, one(text), { contentType: 'text/plain' }),
      remove: (key, versionId) => this.deleteVersion(key, versionId),
    }).catch((error: unknown) => {
      this.#guard = undefined;
      throw error;
    });
    return this.#guard;
  }
}

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function checkOptions({ endpoint, bucket, partBytes = leastPartBytes, pageSize = 1000, attempts = 1, attemptTimeoutMs = 1, connectTimeoutMs = 1 }: S3StoreOptions): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`) throw new StoreFault('invalid', 'endpoint must be http:// or https:// with a host, and nothing behind it');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) throw new StoreFault('invalid', 'bucket must be a name of 3 to 63 lower-case letters, digits, dots and dashes');
  const numbers: [string, number, number, number][] = [
    ['partBytes', partBytes, leastPartBytes, 5 * 1024 ** 3], ['pageSize', pageSize, 1, 1000], ['attempts', attempts, 1, 100],
    ['attemptTimeoutMs', attemptTimeoutMs, 1, 2 ** 31 - 1], ['connectTimeoutMs', connectTimeoutMs, 1, 2 ** 31 - 1],
  ];
  for (const [name, value, least, most] of numbers) if (!Number.isSafeInteger(value) || value < least || value > most) throw new StoreFault('invalid', `${name} must be a whole number from ${least} to ${most}`);
}
