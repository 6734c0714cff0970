const etagForm = /^g[0-9]{1,9}-r([0-9]{1,18})$/;
/** Changes with every stored change of the resource that its owner can see. Opaque to callers. */
export const etagOf = (resource: { readonly generation: number; readonly revision: bigint }): string => `g${resource.generation}-r${resource.revision}`;
/** The revision in an etag of ours; undefined for any other text. */
export function revisionOf(etag: string): bigint | undefined {
  const digits = etagForm.exec(etag)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}
