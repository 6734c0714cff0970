declare const fenceBrand: unique symbol;

/**
 * The number of a lease, drawn by the coordinator: for any job a later lease has a larger one. It goes with the work into everything
 * that it writes. Never a `number`: it is an int64 that rises for ever, and a rounded fence compares equal to its neighbour.
 */
export type Fence = bigint & { readonly [fenceBrand]: true };

const isFence = (value: bigint): value is Fence => value > 0n;

/** @throws RangeError for 0 and below: no lease has such a fence. */
export function fenceOf(value: bigint): Fence {
  if (!isFence(value)) throw new RangeError(`${value} is not a fence`);
  return value;
}
