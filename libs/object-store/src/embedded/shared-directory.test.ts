import { expect, test } from 'vitest';
import { collect } from '../conformance/subject.js';
import { filesBelow, temporaryDirectory } from './fixtures/temporary-directory.js';
import { acknowledged, startWriter } from './fixtures/start-writer.js';
import { wholeVersions } from './fixtures/whole-versions.js';
import { openEmbeddedStore } from './embedded-store.js';

const ended = { code: 0, signal: null };

test('two processes that write one key at the same time lose nothing of each other', async () => {
  const directory = await temporaryDirectory();
  const o = { directory, keys: ['renditions/default/photo/1/large'], puts: 30, maxBytes: 50_000 };
  const writers = await Promise.all([startWriter(o), startWriter(o)]);
  for (const writer of writers) expect(await writer.exited, writer.tail()).toEqual(ended);
  const store = await openEmbeddedStore({ directory });
  const answered = writers.flatMap((writer) => acknowledged(writer.events()));
  expect(answered).toHaveLength(60);
  expect((await wholeVersions(store)).toSorted()).toEqual(answered.toSorted());
  const times = (await collect(store.listVersions(''))).map((version) => version.storedAt.getTime());
  expect(times).toEqual(times.toSorted((a, b) => b - a));
});

test('a put finds its place also while another process removes the empty directories around it', async () => {
  const directory = await temporaryDirectory();
  const o = { directory, puts: 40, maxBytes: 10, deleteAgain: true };
  const writers = await Promise.all(['a', 'b', 'c'].map((name) => startWriter({ ...o, keys: [`deep/er/and/deeper/${name}`] })));
  for (const writer of writers) expect(await writer.exited, writer.tail()).toEqual(ended);
  expect(await filesBelow(directory)).toEqual([]);
});

test('a listing goes on while others write and delete, and misses none of what stays', async () => {
  const directory = await temporaryDirectory();
  const store = await openEmbeddedStore({ directory });
  const kept = Array.from({ length: 20 }, (_, n) => `mixed/${n}/kept`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('x');
  }
  for (const key of kept) await store.put(key, body(), { contentType: 'text/plain' });
  const writer = await startWriter({ directory, keys: ['mixed/0/gone', 'mixed/15/gone', 'mixed/gone/a', 'other/gone'], puts: 40, maxBytes: 10, deleteAgain: true });
  let listings = 0;
  for (let over = false; !over; listings += 1) {
    over = writer.events().some((event) => event['event'] === 'done');
    const keys = (await collect(store.listVersions('mixed/'))).map((version) => version.key);
    expect(keys.filter((key) => key.endsWith('kept'))).toEqual(kept.toSorted());
  }
  expect(await writer.exited, writer.tail()).toEqual(ended);
  expect(listings).toBeGreaterThan(1);
});
