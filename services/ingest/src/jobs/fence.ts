declare const brand: unique symbol;

/** Tells which of two events of a job came later: the larger one. Drawn by the coordinator, never here. */
export type Fence = bigint & { readonly [brand]: 'fence' };

const isFence = (value: bigint): value is Fence => value >= 0n && value < 2n ** 63n;

/** @throws RangeError for what no database sequence can have drawn. */
export function fenceOf(value: bigint): Fence {
  if (!isFence(value)) throw new RangeError('a fence is 0 to 2^63 - 1');
  return value;
}

/** Less than every fence that was drawn: no outcome was applied. */
export const noFence = fenceOf(0n);
