import type { ImportsClient } from '@leasehold/client';

/** A stock answer: one catalogue generation. */
export interface Stock {
  readonly quantities: ReadonlyMap<string, bigint>;
  readonly generation: bigint;
  /** Tells this state of the stock from every other one. */
  readonly tag: string;
}

export async function stockOf(client: ImportsClient, skus: readonly string[], signal: AbortSignal): Promise<Stock> {
  const { items, catalogue } = await client.stock(skus, { signal });
  return { quantities: new Map(items.map(({ sku, quantity }) => [sku, quantity])), generation: catalogue?.generation ?? 0n, tag: catalogue?.tag ?? '' };
}

export const isSame = (a: Stock, b: Stock): boolean =>
  a.generation === b.generation && a.tag === b.tag && a.quantities.size === b.quantities.size && [...a.quantities].every(([sku, quantity]) => b.quantities.get(sku) === quantity);
