declare const brand: unique symbol;

/**
 * A fence: drawn from one database sequence, rises for ever; what was written under a larger one stands over what was written under a
 * smaller. Always bigint: as a number it would lose digits.
 */
export type Fence = bigint & { readonly [brand]: 'Fence' };

/** Marks a value read from the database or the wire as a fence. */
export const fence = (value: bigint): Fence => value as Fence;
