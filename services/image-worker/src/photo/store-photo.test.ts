import { rm } from 'node:fs/promises';
import type { EmbeddedStore } from '@leasehold/object-store';
import { download, storedKeys, temporaryStore } from '@leasehold/object-store/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storePhoto } from './store-photo.js';

const bytes = Buffer.from('RIFF and so on');
const stored = { contentType: 'image/webp', signal: new AbortController().signal };
let store: EmbeddedStore;
let remove: () => Promise<void>;

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
});
afterEach(() => remove());

test('a picture is stored as what it is, and what is answered names exactly it', async () => {
  const { key, versionId, sizeBytes } = await storePhoto(store, 'renditions/t/f/7/photo.jpg', bytes, { ...stored, contentType: 'image/jpeg' });
  expect(await store.head(key, versionId)).toMatchObject({ contentType: 'image/jpeg', sizeBytes });
  expect((await download(store, key, versionId)).equals(bytes)).toBe(true);
});

test('storing again adds a version and removes none', async () => {
  await storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, stored);
  await storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, stored);
  expect(await storedKeys(store)).toHaveLength(2);
});

test('a store that went away is STORE_UNAVAILABLE', async () => {
  await rm(store.directory, { recursive: true });
  await expect(storePhoto(store, 'renditions/t/f/7/photo.webp', bytes, stored)).rejects.toHaveProperty('reason', 'STORE_UNAVAILABLE');
});
