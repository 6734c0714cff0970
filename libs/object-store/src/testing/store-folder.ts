import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore, type EmbeddedStore } from '../embedded/embedded-store.js';
import type { StoredVersion } from '../object-store.js';

// For the tests of services that read or write a store.

/** A real store in a folder of its own. */
export async function temporaryStore(): Promise<{ store: EmbeddedStore; remove: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'leasehold-store-'));
  return { store: await openEmbeddedStore({ directory }), remove: () => rm(directory, { recursive: true, force: true }) };
}

export const upload = (store: EmbeddedStore, key: string, bytes: Uint8Array): Promise<StoredVersion> => store.put(key, chunks(bytes), { contentType: 'application/octet-stream' });

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

/** The bytes of one version. */
export async function download(store: EmbeddedStore, key: string, versionId: string): Promise<Buffer> {
  const { body } = await store.get(key, versionId);
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** Keys of every version that is stored. */
export async function storedKeys(store: EmbeddedStore, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const version of store.listVersions(prefix)) keys.push(version.key);
  return keys;
}
