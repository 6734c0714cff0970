import { setTimeout as delay } from 'node:timers/promises';
import { ImportServiceService, ImportState, ImportSpec, StockServiceService, type Import } from '@leasehold/ingest-v1';
import { createClient, Fault, type ClientOf } from '@leasehold/rpc';

const parent = 'namespaces/default';
const chunkBytes = 64 * 1024;
const patienceMs = 90_000;

/** Hands shipments over, and repeats what nobody answered, as a service team does. */
export class Shipments {
  readonly #imports: ClientOf<typeof ImportServiceService>;
  readonly #stock: ClientOf<typeof StockServiceService>;

  constructor(ingests: readonly string[]) {
    this.#imports = createClient(ImportServiceService, [...ingests], { idempotent: ['getImport', 'cancelImport', 'retryImport'], defaultTimeoutMs: 15_000 });
    this.#stock = createClient(StockServiceService, [...ingests], { idempotent: ['getStock'] });
  }

  /** One call, not repeated. */
  async submitOnce(importId: string, csv: string, more: Partial<ImportSpec> = {}): Promise<Import> {
    const spec = ImportSpec.create({ parent, importId, ...more });
    const bytes = Buffer.from(csv);
    const messages = async function* () {
      yield { part: { $case: 'spec' as const, value: spec } };
      for (let at = 0; at < bytes.length; at += chunkBytes) yield { part: { $case: 'chunk' as const, value: bytes.subarray(at, at + chunkBytes) } };
    };
    const { import: answer } = await this.#imports.submitImport(messages());
    if (answer === undefined) throw new Error(`${importId} was answered without an import`);
    return answer;
  }

  /** Until somebody answers: the id makes the repeat safe. */
  async submit(importId: string, csv: string): Promise<Import> {
    const endsAtMs = Date.now() + patienceMs;
    for (;;) {
      try {
        return await this.submitOnce(importId, csv);
      } catch (error) {
        if (!(error instanceof Fault) || error.reason === 'IMPORT_EXISTS' || Date.now() > endsAtMs) throw error;
        await delay(100);
      }
    }
  }

  async get(importId: string): Promise<Import> {
    const { import: answer } = await this.#imports.getImport({ name: `${parent}/imports/${importId}` });
    if (answer === undefined) throw new Error(`${importId} was answered without an import`);
    return answer;
  }

  /** Watches to the end, and watches again when the watch breaks: each message is the whole import. */
  async final(importId: string): Promise<Import> {
    const endsAtMs = Date.now() + patienceMs;
    let last: Import | undefined;
    while (Date.now() < endsAtMs) {
      try {
        for await (const { import: seen } of this.#imports.watchImport({ name: `${parent}/imports/${importId}` }, { signal: AbortSignal.timeout(endsAtMs - Date.now()) })) {
          last = seen;
          if (seen !== undefined && ![ImportState.ACCEPTED, ImportState.PROCESSING].some((state) => state === seen.state)) return seen;
        }
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        await delay(100);
      }
    }
    throw new Error(`${importId} has not ended: ${JSON.stringify(last, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`);
  }

  /** Every state that a watcher sees, until the import has ended. */
  async *watch(importId: string, signal: AbortSignal): AsyncGenerator<Import> {
    for await (const { import: seen } of this.#imports.watchImport({ name: `${parent}/imports/${importId}` }, { signal })) if (seen !== undefined) yield seen;
  }

  async cancel(importId: string): Promise<Import | undefined> {
    return (await this.#imports.cancelImport({ name: `${parent}/imports/${importId}` })).import;
  }

  /** Units by SKU in the default warehouse, of those that there are. */
  async stock(...skus: string[]): Promise<Record<string, bigint>> {
    return this.stockIn('', ...skus);
  }

  async stockIn(warehouse: string, ...skus: string[]): Promise<Record<string, bigint>> {
    const { items } = await this.#stock.getStock({ parent, skus, warehouse });
    return Object.fromEntries(items.map(({ sku, quantity }) => [sku, quantity]));
  }

  close(): void {
    this.#imports.close();
    this.#stock.close();
  }
}

/** A shipment of these SKUs, in this order. */
export const csvOf = (rows: readonly (readonly [sku: string, quantity: number])[]): string => `sku,quantity\n${rows.map(([sku, quantity]) => `${sku},${quantity}\n`).join('')}`;

/** A file of many rows that brings one unit of each. */
export const manyRows = (count: number, prefix: string): string => csvOf(Array.from({ length: count }, (_, i) => [`${prefix}-${i}`, 1] as const));
