import {
  AnimationPolicy, FileServiceService, RenditionSpec, type File, type FileState, type Rendition, type RenditionOptions, type UploadTarget,
} from '@leasehold/ingest-v1';
import type { CallOptions, ClientOf } from '@leasehold/rpc';
import { Connection, type IngestClientOptions } from './connection.js';
import { downloadTo, openDownload } from './download.js';
import { fileChunks } from './file-chunks.js';
import { fileId, fileName, namespaceName } from './names.js';
import { upload, type Uploaded } from './upload.js';
import { last } from './watch.js';
import { watchFile } from './watch-file.js';

export type FilesClientOptions = IngestClientOptions;

export interface CreateFileOptions extends CallOptions {
  /** `[a-z0-9][a-z0-9-]{0,62}`; by default a fresh UUID. */
  readonly fileId?: string;
  /** What to make where it is one WebP; what is left out or 0 takes the server's default. */
  readonly options?: Partial<RenditionOptions>;
  /** What to make instead: up to 8, each under a name of its own. This and the next two need image@2 to be open: else OPTIONS_NOT_OPEN. */
  readonly renditions?: readonly (Partial<RenditionSpec> & { readonly name: string })[];
  /** Whether a tiny placeholder is made too. */
  readonly placeholder?: boolean;
  /** What becomes of a source with several frames; default FIRST_FRAME. */
  readonly animation?: AnimationPolicy;
}

export interface DownloadOptions extends CallOptions {
  /** Which rendition, by its name; by default the first. */
  readonly rendition?: string;
}

// Each of these may be sent twice without doing anything twice. UploadFile is not among them: it stores one more version.
const idempotent = ['createFile', 'confirmFile', 'getFile', 'listFiles', 'getDownloadUrl', 'retryFile', 'deleteFile'] as const;

/**
 * Leasehold's files for service teams. Every call has a deadline, is retried where repeating it is harmless, and fails with a Fault whose
 * `reason` is ingest's closed list (see isFault).
 */
export class FilesClient {
  readonly #client: ClientOf<typeof FileServiceService>;
  readonly #connection: Connection;

  /** @throws Error for PEM files that are of no use, naming the file. */
  constructor(options: FilesClientOptions) {
    this.#connection = new Connection(options);
    this.#client = this.#connection.client(FileServiceService, idempotent);
  }

  /** Makes a PENDING card. A repeat with the same id and options answers the existing one. */
  async create(o: CreateFileOptions = {}): Promise<{ file: File; uploadTarget: UploadTarget | undefined }> {
    const options = o.options === undefined ? undefined : { maxWidth: 0, maxHeight: 0, quality: 0, effort: 0, ...o.options };
    const renditions = (o.renditions ?? []).map((spec) => RenditionSpec.create(spec));
    const what = { options, renditions, wantsPlaceholder: o.placeholder ?? false, animation: o.animation ?? AnimationPolicy.UNSPECIFIED };
    const { file, uploadTarget } = await this.#client.createFile({ parent: namespaceName(this.#connection.namespace), fileId: o.fileId ?? fileId(), ...what }, o);
    return { file: present(file), uploadTarget };
  }

  /** Streams bytes into a PENDING card; confirms nothing. `open` may be called again when the server was away. */
  async upload(name: string, open: () => AsyncIterable<Uint8Array>, o: CallOptions = {}): Promise<Uploaded> {
    return upload(this.#client, name, open, o.signal);
  }

  /** Names the version that counts; answers at once, in state QUEUED. Size and SHA-256 are checked when they are given. */
  async confirm(name: string, version: { versionId: string; sizeBytes?: bigint; sha256?: Uint8Array }, o: CallOptions = {}): Promise<File> {
    const { file } = await this.#client.confirmFile({ name, versionId: version.versionId, sizeBytes: version.sizeBytes ?? 0n, sha256: Buffer.from(version.sha256 ?? []) }, o);
    return present(file);
  }

  /** A photo on disk, handed over: create, upload, confirm. Answers the card in state QUEUED. */
  async uploadPhoto(path: string, o: CreateFileOptions = {}): Promise<File> {
    const { file } = await this.create(o);
    const uploaded = await this.upload(file.name, () => fileChunks(path), o);
    return this.confirm(file.name, uploaded, o);
  }

  async get(name: string, o: CallOptions = {}): Promise<File> {
    return present((await this.#client.getFile({ name }, o)).file);
  }

  /** Every card of the namespace, newest first, page by page as it is read. No states: all but DELETED. */
  async *list(o: CallOptions & { readonly states?: readonly FileState[]; readonly pageSize?: number } = {}): AsyncGenerator<File> {
    let pageToken = '';
    do {
      const page = await this.#client.listFiles({ parent: namespaceName(this.#connection.namespace), pageSize: o.pageSize ?? 0, pageToken, states: [...(o.states ?? [])] }, o);
      yield* page.files;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  }

  /** The card now and after each change, until it is final; survives restarts of ingest. */
  watch(name: string, o: { readonly signal?: AbortSignal } = {}): AsyncGenerator<File> {
    return watchFile(this.#client, name, o.signal);
  }

  /** The card once it is final. */
  async waitUntilFinal(name: string, o: { readonly signal?: AbortSignal; readonly onChange?: (file: File) => void } = {}): Promise<File> {
    return present(await last(this.watch(name, o), o.onChange));
  }

  /** A rendition's description and its bytes. */
  async download(name: string, o: DownloadOptions = {}): Promise<{ rendition: Rendition; body: AsyncIterable<Uint8Array> }> {
    return openDownload(this.#client, { name, rendition: o.rendition ?? '' }, o.signal);
  }

  /** Writes a rendition to a file, whole and checked against its SHA-256, or not at all. */
  async downloadTo(name: string, path: string, o: DownloadOptions = {}): Promise<Rendition> {
    return downloadTo(this.#client, { name, rendition: o.rendition ?? '' }, path, o.signal);
  }

  /** A signed URL that serves a rendition for a while: a secret until it expires. */
  async downloadUrl(name: string, o: DownloadOptions = {}): Promise<{ url: string; expireTime: Date | undefined }> {
    return this.#client.getDownloadUrl({ name, rendition: o.rendition ?? '' }, o);
  }

  /** Queues a REJECTED card again; its etag keeps a repeat from retrying twice. */
  async retry(file: Pick<File, 'name' | 'etag'>, o: CallOptions = {}): Promise<File> {
    return present((await this.#client.retryFile({ name: file.name, etag: file.etag }, o)).file);
  }

  async delete(name: string, o: CallOptions = {}): Promise<File> {
    return present((await this.#client.deleteFile({ name }, o)).file);
  }

  /** The full name of a file of this client's namespace. */
  nameOf(id: string): string {
    return fileName(this.#connection.namespace, id);
  }

  /** Ends the connections; calls under way fail. */
  close(): void {
    this.#connection.close();
  }
}

function present(file: File | undefined): File {
  if (file === undefined) throw new Error('ingest answered without a card');
  return file;
}
