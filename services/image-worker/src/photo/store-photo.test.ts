import { rm } from 'node:fs/promises';
import type { EmbeddedStore } from '@leasehold/object-store';
import { download, storedKeys, temporaryStore } from '@leasehold/object-store/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storePhoto } from './store-photo.js';

const bytes = Buffer.from('RIFF and so on');
const quiet = new AbortController().signal;
let store: EmbeddedStore;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
});
afterEach(() => remove());

test('a photo is stored as image/webp, and what is answered names exactly it', async () => {
  const { key, versionId, sizeBytes } = await storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, quiet);
  expect(await store.head(key, versionId)).toMatchObject({ contentType: 'image/webp', sizeBytes });
  expect((await download(store, key, versionId)).equals(bytes)).toBe(true);
});

test('storing again adds a version and removes none', async () => {
  await storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, quiet);
  await storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, quiet);
  expect(await storedKeys(store)).toHaveLength(2);
});

test('a store that went away is STORE_UNAVAILABLE', async () => {
  await rm(store.directory, { recursive: true });
  await expect(storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, quiet)).rejects.toHaveProperty('reason', 'STORE_UNAVAILABLE');
});
