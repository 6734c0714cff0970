import type { RenditionFormat } from '../rendering/picture-order.js';

/** What a rendition of each format is: its key's ending, and how it is served. */
export const kindOfFormat: Readonly<Record<RenditionFormat, { readonly extension: string; readonly contentType: string }>> = {
  webp: { extension: 'webp', contentType: 'image/webp' },
  avif: { extension: 'avif', contentType: 'image/avif' },
  jpeg: { extension: 'jpg', contentType: 'image/jpeg' },
};

/**
 * Where a run stores its renditions, `{name}.{extension}` behind it: a prefix that no other run can have, as the fence is its own (requirement F8).
 * Throws a plain Error for a prefix that is not `renditions/{namespace}/{file}/` of the job's own namespace: a producer's mistake must not let one
 * team's job write among another's files.
 */
export function runPrefix(o: { namespace: string; prefix: string; fence: bigint }): string {
  const home = `renditions/${o.namespace}/`;
  const file = o.prefix.startsWith(home) && o.prefix.endsWith('/') ? o.prefix.slice(home.length, -1) : '';
  if (file === '' || file === '.' || file === '..' || file.includes('/')) throw new Error('rendition_prefix is not of the job\'s namespace');
  return `${home}${file}/${o.fence}/`;
}
