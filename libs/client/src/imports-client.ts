import {
  ImportServiceService, StockServiceService, ImportLayout, ImportMode, type Catalogue, type Import, type ImportReport, type ImportSpec, type ImportState, type RowError, type StockItem, type SubmitImportRequest,
  type SubmitImportResponse,
} from '@leasehold/ingest-v1';
import type { CallOptions, ClientOf, Encoded } from '@leasehold/rpc';
import { ChunkMessages } from './chunk-message.js';
import { Connection, type IngestClientOptions } from './connection.js';
import { importName, namespaceName } from './names.js';
import { repeated } from './retry.js';
import { withShipment, type Shipment, type ShipmentSource } from './shipment-source.js';
import { last } from './watch.js';
import { watchImport } from './watch-import.js';

export type ImportsClientOptions = IngestClientOptions;

export interface SubmitOptions extends CallOptions {
  /** PARTIAL: good rows are applied, and the others reported by `rowErrors`. Left out: all of the file or nothing. */
  readonly mode?: ImportMode;
  /** WAREHOUSES: each row names a warehouse and an operation. Left out: SKU and quantity, in the default warehouse. */
  readonly layout?: ImportLayout;
  /** How the bytes are to be read; left out: UTF-8, or UTF-16 where the file begins with its mark. */
  readonly charset?: string;
}

/**
 * Leasehold's imports and stock for service teams. The id of an import is its batch's: whoever hands the same file over again under the same id gets the same import, and stock changes once.
 * Every call is retried where repeating it is harmless, and fails with a Fault whose `reason` is ingest's closed list (see isFault).
 */
export class ImportsClient {
  readonly #imports: ClientOf<typeof ImportServiceService>;
  readonly #stock: ClientOf<typeof StockServiceService>;
  readonly #connection: Connection;

  /** @throws Error for PEM files that are of no use, naming the file. */
  constructor(options: ImportsClientOptions) {
    this.#connection = new Connection(options);
    this.#imports = this.#connection.client(ImportServiceService, ['getImport', 'listImports', 'listImportRowErrors', 'cancelImport', 'retryImport']);
    this.#stock = this.#connection.client(StockServiceService, ['getStock', 'listStock']);
  }

  /** Hands a shipment file over; answers at once, ACCEPTED or as the import is by now. Repeated as a whole while the server is away. */
  async submit(importId: string, source: ShipmentSource, o: SubmitOptions = {}): Promise<Import> {
    return present((await this.#handOver(source, { importId, ...askedIn(o) }, o.signal)).import);
  }

  /** The same with a version of an object that lies in the store already, under `uploads/{namespace}/` or `shipments/{namespace}/`. It is copied. */
  async submitObject(importId: string, object: { readonly key: string; readonly versionId: string }, o: SubmitOptions = {}): Promise<Import> {
    const spec = this.#spec({ importId, ...askedIn(o), object });
    return present((await repeated(() => this.#imports.submitImport(messages(spec), { signal: o.signal }), o.signal)).import);
  }

  /** What an import of the file would do now. Keeps and applies nothing. */
  async validate(source: ShipmentSource, o: SubmitOptions = {}): Promise<ImportReport> {
    const { report } = await this.#handOver(source, { validateOnly: true, ...askedIn(o) }, o.signal);
    if (report === undefined) throw new Error('ingest answered without a report');
    return report;
  }

  async get(name: string, o: CallOptions = {}): Promise<Import> {
    return present((await this.#imports.getImport({ name }, o)).import);
  }

  /** The namespace's journal, newest first, page by page as it is read. No states: all. */
  async *list(o: CallOptions & { readonly states?: readonly ImportState[]; readonly pageSize?: number } = {}): AsyncGenerator<Import> {
    let pageToken = '';
    do {
      const page = await this.#imports.listImports({ parent: this.#parent, pageSize: o.pageSize ?? 0, pageToken, states: [...(o.states ?? [])] }, o);
      yield* page.imports;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  }

  /** Why a file was refused, or rows of one that was applied in part were left out, row by row, in its order; up to 100. */
  async *rowErrors(name: string, o: CallOptions = {}): AsyncGenerator<RowError> {
    let pageToken = '';
    do {
      const page = await this.#imports.listImportRowErrors({ parent: name, pageSize: 0, pageToken }, o);
      yield* page.rowErrors;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  }

  /** The import now and after each change, with rows and bytes, until it has ended; survives restarts of ingest. */
  watch(name: string, o: { readonly signal?: AbortSignal } = {}): AsyncGenerator<Import> {
    return watchImport(this.#imports, name, o.signal);
  }

  /** The import once it has ended: APPLIED, REJECTED or CANCELLED. */
  async waitUntilEnded(name: string, o: { readonly signal?: AbortSignal; readonly onChange?: (shipment: Import) => void } = {}): Promise<Import> {
    return present(await last(this.watch(name, o), o.onChange));
  }

  /** Ends an ACCEPTED import, whatever is running. @throws Fault IMPORT_ENDED when it was applied or rejected before. */
  async cancel(name: string, o: CallOptions = {}): Promise<Import> {
    return present((await this.#imports.cancelImport({ name }, o)).import);
  }

  /** Queues a REJECTED import again with the same file; its etag keeps a repeat from retrying twice. */
  async retry(shipment: Pick<Import, 'name' | 'etag'>, o: CallOptions = {}): Promise<Import> {
    return present((await this.#imports.retryImport({ name: shipment.name, etag: shipment.etag }, o)).import);
  }

  /** Up to 500 SKUs, all of one catalogue generation; in the default warehouse unless another is named. */
  async stock(skus: readonly string[], o: CallOptions & { readonly warehouse?: string } = {}): Promise<{ items: StockItem[]; missing: string[]; catalogue: Catalogue | undefined }> {
    return this.#stock.getStock({ parent: this.#parent, skus: [...skus], warehouse: o.warehouse ?? '' }, o);
  }

  /** All stock of the default warehouse, or of the one that is named, in the order of the SKUs' bytes, page by page as it is read. While imports are applied, a later page may be of a later catalogue generation. */
  async *listStock(o: CallOptions & { readonly warehouse?: string; readonly skuPrefix?: string; readonly pageSize?: number } = {}): AsyncGenerator<StockItem> {
    let pageToken = '';
    do {
      const page = await this.#stock.listStock({ parent: this.#parent, pageSize: o.pageSize ?? 0, pageToken, skuPrefix: o.skuPrefix ?? '', warehouse: o.warehouse ?? '' }, o);
      yield* page.items;
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
  }

  /** The full name of an import of this client's namespace. */
  nameOf(importId: string): string {
    return importName(this.#connection.namespace, importId);
  }

  /** Ends the connections; calls under way fail. */
  close(): void {
    this.#connection.close();
  }

  get #parent(): string {
    return namespaceName(this.#connection.namespace);
  }

  #spec(spec: Partial<ImportSpec>): ImportSpec {
    return { parent: this.#parent, importId: '', charset: '', validateOnly: false, sha256: Buffer.alloc(0), object: undefined, mode: ImportMode.UNSPECIFIED, layout: ImportLayout.UNSPECIFIED, ...spec };
  }

  #handOver(source: ShipmentSource, spec: Partial<ImportSpec>, signal: AbortSignal | undefined): Promise<SubmitImportResponse> {
    return withShipment(source, signal, (shipment) => repeated(() => this.#imports.submitImport(messages(this.#spec({ ...spec, sha256: shipment.sha256 }), shipment), { signal }), signal));
  }
}

const askedIn = ({ charset = '', mode = ImportMode.UNSPECIFIED, layout = ImportLayout.UNSPECIFIED }: SubmitOptions): Pick<ImportSpec, 'charset' | 'mode' | 'layout'> => ({ charset, mode, layout });

async function* messages(spec: ImportSpec, shipment?: Shipment): AsyncGenerator<SubmitImportRequest | Encoded> {
  yield { part: { $case: 'spec', value: spec } };
  if (shipment === undefined) return;
  const chunks = new ChunkMessages();
  for await (const chunk of shipment.open()) yield* chunks.of(chunk);
}

function present(shipment: Import | undefined): Import {
  if (shipment === undefined) throw new Error('ingest answered without an import');
  return shipment;
}
