import { rm } from 'node:fs/promises';
import type { EmbeddedStore, StoredVersion } from '@leasehold/object-store';
import { temporaryStore, upload } from '@leasehold/object-store/testing';
import type { SourceVersion } from '@leasehold/worker-runtime';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { testFile } from '../testing/manifest.js';
import { fetchSource } from './fetch-source.js';

const photo = testFile('img-gps.jpg');
const quiet = new AbortController().signal;
let store: EmbeddedStore;
let remove: () => Promise<void>;
let version: StoredVersion;

beforeEach(async () => {
  ({ store, remove } = await temporaryStore());
  version = await upload(store, 'uploads/team/photo', photo);
});
afterEach(() => remove());

const source = (over: Partial<SourceVersion> = {}): SourceVersion => ({ key: version.key, versionId: version.versionId, sizeBytes: photo.length, sha256: version.sha256, ...over });
const fetch = (over?: Partial<SourceVersion>, o: { maxBytes?: number; signal?: AbortSignal } = {}) => fetchSource(store, source(over), { maxBytes: 1 << 20, signal: quiet, memory: (size) => Buffer.alloc(size), ...o });
const refusal = (over?: Partial<SourceVersion>, o?: { maxBytes?: number }) => fetch(over, o).then(() => 'fetched', (error: unknown) => error);

describe('the confirmed version', () => {
  test('is fetched byte for byte, with and without a digest to check', async () => {
    expect((await fetch()).equals(photo)).toBe(true);
    expect((await fetch({ sha256: undefined })).equals(photo)).toBe(true);
  });

  test('is fetched also when a later one was stored under its key', async () => {
    await upload(store, version.key, Buffer.from('something else'));
    expect((await fetch()).equals(photo)).toBe(true);
  });

  test('is fetched also behind a delete marker', async () => {
    await store.delete(version.key);
    expect((await fetch()).equals(photo)).toBe(true);
  });
});

describe('anything else is SOURCE_MISMATCH', () => {
  test.each<[string, Partial<SourceVersion>]>([
    ['fewer bytes than confirmed', { sizeBytes: photo.length + 1, sha256: undefined }],
    ['more bytes than confirmed', { sizeBytes: photo.length - 1, sha256: undefined }],
    ['bytes where none were confirmed', { sizeBytes: 0, sha256: undefined }],
    ['another digest', { sha256: Buffer.alloc(32) }],
    ['a version that is not there', { versionId: 'nothing' }],
    ['a key that is not there', { key: 'uploads/team/nothing' }],
  ])('%s', async (_, over) => {
    expect(await refusal(over)).toHaveProperty('reason', 'SOURCE_MISMATCH');
  });

  test('a version that was deleted', async () => {
    await upload(store, 'uploads/team/other', photo);
    await store.deleteVersion(version.key, version.versionId);
    expect(await refusal()).toHaveProperty('reason', 'SOURCE_MISMATCH');
  });
});

test('a store that records no digest is not taken at its word', async () => {
  const forgetful: EmbeddedStore = Object.assign(Object.create(store), {
    get: async (...asked: Parameters<EmbeddedStore['get']>) => {
      const { version: { sha256: _, ...rest }, body } = await store.get(...asked);
      return { version: rest, body };
    },
  });
  const fetched = (sha256: Buffer) => fetchSource(forgetful, source({ sha256 }), { maxBytes: 1 << 20, signal: quiet, memory: (size) => Buffer.alloc(size) }).then((bytes) => bytes.equals(photo), (error: unknown) => error);
  expect(await fetched(version.sha256)).toBe(true);
  expect(await fetched(Buffer.alloc(32))).toHaveProperty('reason', 'SOURCE_MISMATCH');
});

test('a source above the byte limit is BYTE_LIMIT, and not even asked for', async () => {
  expect(await refusal({ key: 'uploads/team/other' }, { maxBytes: photo.length - 1 })).toHaveProperty('reason', 'BYTE_LIMIT');
  expect((await fetch({}, { maxBytes: photo.length })).equals(photo)).toBe(true);
});

test('a store that went away is STORE_UNAVAILABLE', async () => {
  await rm(store.directory, { recursive: true });
  expect(await refusal()).toHaveProperty('reason', 'STORE_UNAVAILABLE');
});

test('a store that holds nothing is taken for the wrong one: STORE_UNAVAILABLE', async () => {
  await store.deleteVersion(version.key, version.versionId);
  expect(await refusal()).toHaveProperty('reason', 'STORE_UNAVAILABLE');
});

test('a fetch that is told to stop ends with the reason of its signal', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the lease was lost'));
  await expect(fetch({}, { signal: stop.signal })).rejects.toThrow('the lease was lost');
});
