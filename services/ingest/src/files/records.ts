import { sql, type Database } from '@leasehold/postgres';
import type { PictureOrder } from '../contract/picture-order.js';
import type { StoredJob } from '../jobs/owed-jobs.js';
import { cardOf, type Card, type FileRow, type Source } from './card.js';
import type { FileId } from './resource-name.js';
import type { State } from './rules.js';
import { orderColumns } from './stored-pictures.js';

const statements = {
  insert: sql(import.meta.url, 'insert'),
  find: sql(import.meta.url, 'find'),
  list: sql(import.meta.url, 'list'),
  confirm: sql(import.meta.url, 'confirm'),
  retry: sql(import.meta.url, 'retry'),
  delete: sql(import.meta.url, 'delete'),
};

/** The cards in `records`, as their owners' calls read and change them. Each method is one statement; undefined: no row answered its conditions. */
export class FileRecords {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  async insert(id: FileId, pictures: PictureOrder, pendingLifeMs: number): Promise<Card | undefined> {
    return this.#one(statements.insert, [id.namespace, id.fileId, ...orderColumns(pictures), pendingLifeMs]);
  }

  async find(id: FileId): Promise<Card | undefined> {
    return this.#one(statements.find, [id.namespace, id.fileId]);
  }

  /** Newest first; `beforeSeq` continues after the card with that seq. */
  async list(namespace: string, states: readonly State[], beforeSeq: bigint | undefined, limit: number): Promise<Card[]> {
    const rows = await this.#db.query<FileRow>(statements.list, [namespace, states, beforeSeq ?? null, limit]);
    return rows.map(cardOf);
  }

  async confirm(id: FileId, source: Source, job: StoredJob, uploadWindowMs: number): Promise<Card | undefined> {
    const { versionId, sizeBytes, sha256 } = source;
    return this.#one(statements.confirm, [id.namespace, id.fileId, versionId, sizeBytes, sha256, job.jobId, job.contractVersion, job.payload, job.digest, uploadWindowMs]);
  }

  async retry(id: FileId, meant: { revision: bigint; generation: number }, job: StoredJob): Promise<Card | undefined> {
    return this.#one(statements.retry, [id.namespace, id.fileId, meant.revision, meant.generation, job.jobId, job.contractVersion, job.payload, job.digest]);
  }

  async delete(id: FileId, writeWindowMs: number): Promise<Card | undefined> {
    return this.#one(statements.delete, [id.namespace, id.fileId, writeWindowMs]);
  }

  async #one(statement: (typeof statements)[keyof typeof statements], params: readonly unknown[]): Promise<Card | undefined> {
    const [row] = await this.#db.query<FileRow>(statement, params);
    return row === undefined ? undefined : cardOf(row);
  }
}
