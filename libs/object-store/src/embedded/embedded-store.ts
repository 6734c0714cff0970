import { randomUUID } from 'node:crypto';
import { access, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkContentType, checkExpiresInMs, checkKey, checkMaxBytes, checkPrefix, checkSizeBytes, checkWanted } from '../argument-rules.js';
import type {
  Abortable, ClockSkew, DeleteMarker, DownloadGrantOptions, GetOptions, ListedVersion, ObjectStore, ObjectVersion, PutOptions, SignedRequest, StoredVersion,
  UploadGrantOptions,
} from '../object-store.js';
import { StoreFault } from '../store-fault.js';
import { publish, publishEmpty, removeDurably, removeEmptyDirectories } from './durable-directories.js';
import { keyDirectory } from './key-path.js';
import { sweepLeftovers } from './leftovers.js';
import { listKey, listPrefix } from './listing.js';
import { asSeenOutside } from './os-fault.js';
import { checkSize, findVersion, readVersion } from './read-version.js';
import { checkSigning, signGrant, type Signing } from './signed-request.js';
import { fileNameOf, markerFileName, newVersionId, storedAtOf, versionFileName } from './version-name.js';
import { writeTemporary } from './write-temporary.js';

export interface EmbeddedStoreOptions {
  /** Made when missing. Any number of processes may open the same one; all of it must be one local file system (renames cross it). */
  readonly directory: string;
  /** Without it, signUpload and signDownload reject with `unsupported`. */
  readonly signing?: Signing | undefined;
  /**
   * How long a temporary file must have been silent to be swept at open; 1 ms or more, default a day. Keep it above the longest pause
   * that an upload may make between two chunks.
   */
  readonly staleTemporaryMs?: number | undefined;
  /** Milliseconds since 1970, for expiries and ages. Default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/** The port on a file system: see README.md for what it gives in S3's place. It holds nothing open between calls, so there is no close. */
export interface EmbeddedStore extends ObjectStore {
  readonly directory: string;
}

/** Opens the store and sweeps what killed writers left. Faults: `invalid` (options), `unavailable`. */
export async function openEmbeddedStore(o: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  if (o.signing !== undefined) checkSigning(o.signing);
  const olderThanMs = o.staleTemporaryMs ?? 24 * 60 * 60 * 1000;
  if (!(olderThanMs >= 1)) throw new StoreFault('invalid', 'staleTemporaryMs must be at least 1');
  const now = o.now ?? Date.now;
  const store = new FileSystemStore(o.directory, o.signing, now);
  await store.open(olderThanMs);
  return store;
}

class FileSystemStore implements EmbeddedStore {
  readonly directory: string;
  readonly #versions: string;
  readonly #temporaries: string;
  readonly #signing: Signing | undefined;
  readonly #now: () => number;

  constructor(directory: string, signing: Signing | undefined, now: () => number) {
    this.directory = directory;
    this.#versions = join(directory, 'versions');
    this.#temporaries = join(directory, 'tmp');
    this.#signing = signing;
    this.#now = now;
  }

  async open(olderThanMs: number): Promise<void> {
    await attempt('open', undefined, async () => {
      await mkdir(this.#versions, { recursive: true, mode: 0o700 });
      await mkdir(this.#temporaries, { recursive: true, mode: 0o700 });
      await sweepLeftovers(this.#temporaries, { olderThanMs, now: this.#now });
    });
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, o: PutOptions): Promise<StoredVersion> {
    checkKey(key);
    checkContentType(o.contentType);
    checkMaxBytes(o.maxBytes, 0);
    const temporary = join(this.#temporaries, randomUUID());
    return attempt('put', o.signal, async () => {
      try {
        const { sizeBytes, sha256 } = await writeTemporary(temporary, body, o);
        // From here on an abort comes too late: what is published stays, and is answered.
        o.signal?.throwIfAborted();
        await this.#requireRoot();
        // The id is drawn now, not when the upload began: ids order versions by when they could first be read.
        const versionId = newVersionId();
        const name = versionFileName(versionId, { sizeBytes, sha256, contentType: o.contentType });
        await publish(this.#versions, temporary, keyDirectory(this.#versions, key), name);
        return { key, versionId, sizeBytes, sha256 };
      } finally {
        await rm(temporary, { force: true });
      }
    });
  }

  async get(key: string, versionId: string, o: GetOptions = {}): Promise<{ version: ObjectVersion; body: AsyncIterable<Uint8Array> }> {
    checkMaxBytes(o.maxBytes, 0);
    const version = await this.head(key, versionId, o);
    checkWanted(version, o);
    return { version, body: attemptEach('get', readVersion(keyDirectory(this.#versions, key), version, o)) };
  }

  async head(key: string, versionId: string, o: Abortable = {}): Promise<ObjectVersion> {
    checkKey(key);
    return attempt('head', o.signal, async () => {
      const directory = keyDirectory(this.#versions, key);
      const recorded = await findVersion(directory, versionId);
      if (recorded === undefined) await this.#requireRoot();
      if (recorded === undefined || recorded.deleteMarker) throw new StoreFault('not_found', 'no such version');
      const version = { key, ...recorded };
      await checkSize(directory, version);
      return version;
    });
  }

  async* listVersions(prefix: string, o: Abortable = {}): AsyncGenerator<ListedVersion | DeleteMarker> {
    checkPrefix(prefix);
    yield* this.#listing(listPrefix(this.#versions, prefix, o.signal), o.signal);
  }

  async* versionsOf(key: string, o: Abortable = {}): AsyncGenerator<ListedVersion | DeleteMarker> {
    checkKey(key);
    yield* this.#listing(listKey(this.#versions, key, o.signal), o.signal);
  }

  async delete(key: string, o: Abortable = {}): Promise<DeleteMarker> {
    checkKey(key);
    return attempt('delete', o.signal, async () => {
      await this.#requireRoot();
      const versionId = newVersionId();
      await publishEmpty(this.#versions, keyDirectory(this.#versions, key), markerFileName(versionId));
      return { key, versionId, storedAt: storedAtOf(versionId), deleteMarker: true };
    });
  }

  async deleteVersion(key: string, versionId: string, o: Abortable = {}): Promise<void> {
    checkKey(key);
    await attempt('deleteVersion', o.signal, async () => {
      const directory = keyDirectory(this.#versions, key);
      const recorded = await findVersion(directory, versionId);
      if (recorded !== undefined) return removeDurably(this.#versions, join(directory, fileNameOf(recorded)));
      await this.#requireRoot();
      // A kill between two steps of an earlier deletion, or of a put, may have left them.
      await removeEmptyDirectories(this.#versions, directory);
    });
  }

  async signUpload(key: string, o: UploadGrantOptions): Promise<SignedRequest> {
    checkKey(key);
    if (o.contentType !== undefined) checkContentType(o.contentType);
    checkMaxBytes(o.maxBytes, 1);
    checkSizeBytes(o.sizeBytes, o.maxBytes);
    const { contentType, maxBytes, sizeBytes } = o;
    return signGrant({ operation: 'upload', key, contentType, maxBytes, sizeBytes, expireTime: this.#expireTime(o.expiresInMs) }, this.#requireSigning());
  }

  async signDownload(key: string, versionId: string, o: DownloadGrantOptions): Promise<SignedRequest> {
    checkKey(key);
    checkContentType(o.contentType);
    const { contentType } = o;
    return signGrant({ operation: 'download', key, versionId, contentType, expireTime: this.#expireTime(o.expiresInMs) }, this.#requireSigning());
  }

  async checkVersioning(o: Abortable = {}): Promise<void> {
    await attempt('checkVersioning', o.signal, () => this.#requireRoot());
  }

  /** The processes of one machine have one clock. */
  async measureClockSkew(o: Abortable = {}): Promise<ClockSkew> {
    o.signal?.throwIfAborted();
    return { skewMs: 0, uncertaintyMs: 0 };
  }

  async* #listing(entries: AsyncIterable<ListedVersion | DeleteMarker>, signal: AbortSignal | undefined): AsyncGenerator<ListedVersion | DeleteMarker> {
    await attempt('list', signal, () => this.#requireRoot());
    yield* attemptEach('list', entries);
    // Again, as missing directories count as empty: "nothing left" must not be what a volume says that went away meanwhile.
    await attempt('list', signal, () => this.#requireRoot());
  }

  /** An unmounted volume must read as a fault, never as an empty store: sweeps would take "nothing left" for "all deleted". */
  async #requireRoot(): Promise<void> {
    await access(this.#versions);
  }

  #requireSigning(): Signing {
    if (this.#signing === undefined) throw new StoreFault('unsupported', 'the store was opened without signing');
    return this.#signing;
  }

  #expireTime(expiresInMs: number): Date {
    checkExpiresInMs(expiresInMs);
    return new Date(this.#now() + expiresInMs);
  }
}

async function attempt<T>(operation: string, signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await act();
  } catch (error) {
    throw asSeenOutside(operation, error);
  }
}

async function* attemptEach<T>(operation: string, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw asSeenOutside(operation, error);
  }
}
