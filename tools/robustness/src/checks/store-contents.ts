import type { File, FilesClient } from '@leasehold/client';
import type { ObjectStore } from '@leasehold/object-store';

/** Everything in the store, as `key@version`, sorted; delete markers too. */
export async function contentsOf(store: ObjectStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { key, versionId } of store.listVersions('')) found.push(`${key}@${versionId}`);
  return found.toSorted();
}

/** What the owners of the client's namespace are promised to find in the store and do not, and what lies there beside it. */
export async function strayObjects({ files, store }: { readonly files: FilesClient; readonly store: ObjectStore }): Promise<{ missing: string[]; extra: string[] }> {
  const promised = new Set<string>();
  for await (const card of files.list({ pageSize: 500 })) for (const object of promisedBy(card)) promised.add(object);
  const found = await contentsOf(store);
  return { missing: [...promised].filter((object) => !found.includes(object)), extra: found.filter((object) => !promised.has(object)) };
}

/** The confirmed version, and the official renditions when there are any. A release from before there were several tells of one. */
function promisedBy(card: File): string[] {
  const [, namespace, , id] = card.name.split('/');
  const source = card.source === undefined ? [] : [`uploads/${namespace}/${id}@${card.source.versionId}`];
  const official = card.renditions.length > 0 || card.rendition === undefined ? card.renditions : [card.rendition];
  return [...official.map(({ key, versionId }) => `${key}@${versionId}`), ...source];
}

/** The fences under which a card's renditions lie in the store. */
export async function fencesInStore(store: ObjectStore, name: string): Promise<bigint[]> {
  const [, namespace, , id] = name.split('/');
  const fences: bigint[] = [];
  for await (const { key } of store.listVersions(`renditions/${namespace}/${id}/`)) fences.push(BigInt(key.split('/')[3] ?? 'none'));
  return fences;
}
