/** Fields that every version has, as listed. */
export interface ListedVersion {
  readonly key: string;
  /** Opaque outside the adapter; unique within the key. */
  readonly versionId: string;
  readonly sizeBytes: number;
  /** By the store's clock. */
  readonly storedAt: Date;
  readonly deleteMarker: false;
}

/** A version with what only a look at the object itself tells (S3 does not list these). */
export interface ObjectVersion extends ListedVersion {
  readonly contentType: string;
  /** 32 bytes; unset where the store did not record it. */
  readonly sha256?: Buffer;
}

/** Says "deleted" at the front of a key's versions; the versions behind it stay until each is deleted. */
export interface DeleteMarker {
  readonly key: string;
  readonly versionId: string;
  readonly storedAt: Date;
  readonly deleteMarker: true;
}

/** What a put answers. */
export interface StoredVersion {
  readonly key: string;
  readonly versionId: string;
  readonly sizeBytes: number;
  /** 32 bytes, of the bytes as they arrived. */
  readonly sha256: Buffer;
}

/** An HTTP request that anyone may send until it expires. The URL is a secret until then: never log it. */
export interface SignedRequest {
  readonly url: string;
  readonly method: 'PUT' | 'GET';
  /** Headers that the request must carry. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expireTime: Date;
}

export interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

export interface PutOptions extends Abortable {
  /** A media type of at most 100 characters, `type/subtype`, optionally with `; name=token` parameters. */
  readonly contentType: string;
  /** 0 or more; enforced while the bytes stream, so that nothing larger is ever kept. Unset: no limit. */
  readonly maxBytes?: number | undefined;
}

export interface GetOptions extends Abortable {
  /** Refuse a larger version with `too_large` before its first byte. */
  readonly maxBytes?: number | undefined;
  /**
   * The caller's own memory for the bytes, from its start; what does not fit is `too_large` as well. A chunk may be the part of it where the chunk's bytes belong, already filled, or memory of
   * its own. Spares megabytes of fresh memory for every version that is read whole. Nobody else may touch it until the body has ended.
   */
  readonly into?: Uint8Array | undefined;
}

export interface UploadGrantOptions {
  /** Unset: any. Set: the request must carry exactly this one. */
  readonly contentType?: string | undefined;
  /** 1 or more. Only a store that is served by this process can enforce it: S3 takes what comes, so look at the version's size before it counts. */
  readonly maxBytes: number;
  /** 1 to maxBytes: the request must have exactly this length (Content-Length), on every store. */
  readonly sizeBytes?: number | undefined;
  /** 1 ms to 7 days (S3's bound). */
  readonly expiresInMs: number;
}

export interface DownloadGrantOptions {
  /** What the answer's Content-Type will be, whatever was recorded at the upload: bytes of users must not choose it. */
  readonly contentType: string;
  /** 1 ms to 7 days (S3's bound). */
  readonly expiresInMs: number;
}

/** How far the store's clock is ahead of this process's: the true value is within `uncertaintyMs` of `skewMs`. */
export interface ClockSkew {
  readonly skewMs: number;
  readonly uncertaintyMs: number;
}

/**
 * A store of immutable object versions. Every put adds a version and no put replaces one, so two attempts can never mix their bytes;
 * what counts is the exact version id that a caller recorded. Conditional puts are not part of the port: radosgw ignores them.
 *
 * Keys: 1 to 512 bytes of UTF-8, segments divided by `/`. Refused as `invalid`: an empty segment (so also a leading or trailing
 * slash), the segments `.` and `..`, NUL, lone surrogates.
 *
 * Every method may also reject with `unavailable` (see StoreFault), and with the signal's reason when it is aborted.
 */
export interface ObjectStore {
  /**
   * Stores a new version, in bounded memory (the body's chunks; on S3 two parts). Resolves once it would survive a crash. After any rejection but
   * `unavailable` or an abort, nothing was stored; after those two a version may exist that nobody was told of, so sweeps
   * work from listings and not from records alone. Faults: `invalid`, `too_large`.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, o: PutOptions): Promise<StoredVersion>;

  /**
   * Reads one exact version; those behind a delete marker too. Iterate the body at most once, and either to its end, or leave the loop
   * early, or abort: until then it may hold a connection. The body throws `damaged` at the latest where it would have ended, `not_found`
   * when the version was deleted meanwhile. Faults: `invalid`, `not_found`, `too_large`, `damaged`.
   */
  get(key: string, versionId: string, o?: GetOptions): Promise<{ version: ObjectVersion; body: AsyncIterable<Uint8Array> }>;

  /** Faults: `invalid`, `not_found`, `damaged` (where the size alone shows it). */
  head(key: string, versionId: string, o?: Abortable): Promise<ObjectVersion>;

  /**
   * Every version and delete marker whose key starts with `prefix`: by key in the order of its UTF-8 bytes, within a key newest first.
   * The prefix is any text up to 512 bytes and need not end at a slash; `a` also lists `ab`. What is stored or deleted meanwhile may
   * or may not appear; everything else appears exactly once. Memory is bounded. Faults: `invalid`.
   */
  listVersions(prefix: string, o?: Abortable): AsyncIterable<ListedVersion | DeleteMarker>;

  /** Every version and delete marker of exactly this key, newest first. Cheap whatever else the store holds. Faults: `invalid`. */
  versionsOf(key: string, o?: Abortable): AsyncIterable<ListedVersion | DeleteMarker>;

  /** Adds a delete marker, whether or not the key has versions, and removes nothing (S3's plain delete). Faults: `invalid`. */
  delete(key: string, o?: Abortable): Promise<DeleteMarker>;

  /** Removes one version or delete marker for good. One that does not exist is no fault. Faults: `invalid`. */
  deleteVersion(key: string, versionId: string, o?: Abortable): Promise<void>;

  /** Lets whoever holds the answer store versions of the key until it expires, any number of them. Faults: `invalid`, `unsupported`. */
  signUpload(key: string, o: UploadGrantOptions): Promise<SignedRequest>;

  /** Lets whoever holds the answer read that version until it expires. The version is not looked up. Faults: `invalid`, `unsupported`. */
  signDownload(key: string, versionId: string, o: DownloadGrantOptions): Promise<SignedRequest>;

  /** Call at start: rejects with `unversioned` where puts would overwrite. */
  checkVersioning(o?: Abortable): Promise<void>;

  /** Signed URLs begin and end by the store's clock, and are written by this process's: report it at start. */
  measureClockSkew(o?: Abortable): Promise<ClockSkew>;
}
