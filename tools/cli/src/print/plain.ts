/** What JSON can hold. */
export type Plain = null | boolean | number | string | readonly Plain[] | { readonly [field: string]: Plain };

/**
 * A value as programs get it: 64-bit numbers as decimal strings, times in ISO 8601, bytes in hex, what is not there as null. Every field is always there, so that whoever reads it
 * needs no defaults.
 */
export function plain(value: unknown): Plain {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item));
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([field, held]) => [field, plain(held)]));
  throw new TypeError(`a ${typeof value} is nothing to print`);
}
