import { ImportsClient, type Import, type SubmitOptions } from '@leasehold/client';

const patienceMs = 90_000;

/** A service team that hands shipments over by their batch ids, through the client that service teams use. */
export class Shipments {
  readonly #client: ImportsClient;

  constructor(ingests: readonly string[]) {
    this.#client = new ImportsClient({ address: ingests, timeoutMs: 15_000 });
  }

  submit(importId: string, csv: string, o: SubmitOptions = {}): Promise<Import> {
    return this.#client.submit(importId, Buffer.from(csv), o);
  }

  get(importId: string): Promise<Import> {
    return this.#client.get(this.#client.nameOf(importId));
  }

  /** Watches to the end, for 90 s at the longest. */
  async final(importId: string): Promise<Import> {
    let last: Import | undefined;
    try {
      return await this.#client.waitUntilEnded(this.#client.nameOf(importId), { signal: AbortSignal.timeout(patienceMs), onChange: (seen) => { last = seen; } });
    } catch (error) {
      throw new Error(`${importId} has not ended: ${JSON.stringify(last, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`, { cause: error });
    }
  }

  /** Every state that a watcher sees, until the import has ended. */
  watch(importId: string, signal: AbortSignal): AsyncGenerator<Import> {
    return this.#client.watch(this.#client.nameOf(importId), { signal });
  }

  cancel(importId: string): Promise<Import> {
    return this.#client.cancel(this.#client.nameOf(importId));
  }

  /** Units by SKU in the default warehouse, of those that there are. */
  stock(...skus: string[]): Promise<Record<string, bigint>> {
    return this.stockIn('', ...skus);
  }

  async stockIn(warehouse: string, ...skus: string[]): Promise<Record<string, bigint>> {
    const { items } = await this.#client.stock(skus, { warehouse });
    return Object.fromEntries(items.map(({ sku, quantity }) => [sku, quantity]));
  }

  close(): void {
    this.#client.close();
  }
}

/** A shipment of these SKUs, in this order. */
export const csvOf = (rows: readonly (readonly [sku: string, quantity: number])[]): string => `sku,quantity\n${rows.map(([sku, quantity]) => `${sku},${quantity}\n`).join('')}`;

/** A file of many rows that brings one unit of each. */
export const manyRows = (count: number, prefix: string): string => csvOf(Array.from({ length: count }, (_, i) => [`${prefix}-${i}`, 1] as const));
