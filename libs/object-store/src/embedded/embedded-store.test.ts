import { appendFile, mkdir, mkdtemp, readdir, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { objectStoreConformance } from '../conformance/object-store.conformance.js';
import { chunks, collect, getText, listedKeys, putText, stallingSource } from '../conformance/subject.js';
import { startHttpEdge } from './fixtures/http-edge.js';
import { filesBelow, temporaryDirectory } from './fixtures/temporary-directory.js';
import { openEmbeddedStore } from './embedded-store.js';
import { readChunkBytes } from './read-version.js';

const secrets = ['a secret of this test, long enough to sign with'];

objectStoreConformance('the embedded store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leasehold-object-store-'));
  const edge = await startHttpEdge(secrets);
  const store = await openEmbeddedStore({ directory, signing: { secrets, baseUrl: edge.baseUrl } });
  edge.serve(store);
  return {
    store,
    versionIdHeader: 'x-leasehold-version-id',
    close: async () => {
      await edge.close();
      await rm(directory, { recursive: true });
    },
  };
});

describe('damage', () => {
  const stored = async (bytes: Buffer) => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    const { versionId } = await store.put('a/b', body(), { contentType: 'text/plain' });
    const [path = ''] = await filesBelow(directory);
    return { store, versionId, file: join(directory, path) };
  };

  test('a file that was cut short is damaged, before its first byte', async () => {
    const { store, versionId, file } = await stored(Buffer.from('twelve bytes'));
    await truncate(file, 11);
    await expect(store.get('a/b', versionId)).rejects.toMatchObject({ kind: 'damaged' });
    await expect(store.head('a/b', versionId)).rejects.toMatchObject({ kind: 'damaged' });
  });

  test('a file that grew is damaged', async () => {
    const { store, versionId, file } = await stored(Buffer.from('twelve bytes'));
    await appendFile(file, '!');
    await expect(store.get('a/b', versionId)).rejects.toMatchObject({ kind: 'damaged' });
  });

  test('a file with one changed byte never reads as complete', async () => {
    const bytes = Buffer.alloc(3 * readChunkBytes, 'x');
    const { store, versionId, file } = await stored(bytes);
    await writeFile(file, Buffer.concat([Buffer.from('y'), bytes.subarray(1)]));
    const { body } = await store.get('a/b', versionId);
    let read = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of body) read += chunk.byteLength;
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'damaged' });
    expect(read).toBe(2 * readChunkBytes);
  });

  test('a file that is cut between get and read is damaged', async () => {
    const { store, versionId, file } = await stored(Buffer.from('twelve bytes'));
    const { body } = await store.get('a/b', versionId);
    await truncate(file, 3);
    await expect(collect(body)).rejects.toMatchObject({ kind: 'damaged' });
  });
});

describe('temporary files', () => {
  const dayMs = 86_400_000;

  test('those that nobody wrote to for the stated time go at open; younger ones stay', async () => {
    const directory = await temporaryDirectory();
    const [old, young] = [join(directory, 'tmp', 'old'), join(directory, 'tmp', 'young')];
    await mkdir(dirname(old));
    await writeFile(old, 'x');
    await writeFile(young, 'x');
    const now = Date.now();
    await utimes(old, new Date(now), new Date(now - dayMs - 1000));
    await utimes(young, new Date(now), new Date(now - dayMs + 1000));
    await openEmbeddedStore({ directory, now: () => now });
    expect(await readdir(join(directory, 'tmp'))).toEqual(['young']);
    await openEmbeddedStore({ directory, now: () => now, staleTemporaryMs: 1000 });
    expect(await readdir(join(directory, 'tmp'))).toEqual([]);
  });

  test('a put that fails, for whatever reason, leaves none and no directory', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    await expect(store.put('a/b', chunks('xx'), { contentType: 'a/b', maxBytes: 1 })).rejects.toMatchObject({ kind: 'too_large' });
    const source = stallingSource(Buffer.from('x'));
    const caller = new AbortController();
    const outcome = expect(store.put('a/b', source.body, { contentType: 'a/b', signal: caller.signal })).rejects.toThrow('gone');
    await source.stalled;
    expect(await filesBelow(directory)).toHaveLength(1);
    caller.abort(new Error('gone'));
    await outcome;
    expect(await readdir(directory, { recursive: true })).toEqual(expect.arrayContaining(['tmp', 'versions']));
    expect(await readdir(directory, { recursive: true })).toHaveLength(2);
  });

  test('an abort after the last byte, before the version is published, still leaves nothing', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    const caller = new AbortController();
    // The next tick comes once the end of the body was handled and the file is being synced.
    const next = (): Promise<IteratorResult<Uint8Array>> => {
      process.nextTick(() => caller.abort(new Error('just in time')));
      return Promise.resolve({ done: true, value: undefined });
    };
    const body = { [Symbol.asyncIterator]: () => ({ next }) };
    await expect(store.put('a/b', body, { contentType: 'a/b', signal: caller.signal })).rejects.toThrow('just in time');
    expect(await filesBelow(directory)).toEqual([]);
  });

  test('a writer that was silent for too long fails and publishes nothing', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      await openEmbeddedStore({ directory, now: () => Date.now() + 2 * dayMs });
      yield Buffer.from('half');
    }
    await expect(store.put('a/b', slow(), { contentType: 'a/b' })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await listedKeys(store, '')).toEqual([]);
  });
});

describe('the directory', () => {
  test('a store whose volume went away is unavailable, never empty, and no message tells its path', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory: join(directory, 'store') });
    const { versionId } = await putText(store, 'a/b', 'x');
    await rename(join(directory, 'store'), join(directory, 'elsewhere'));
    const calls: (() => Promise<unknown>)[] = [
      () => putText(store, 'a/b', 'y'), () => store.get('a/b', versionId), () => store.head('a/b', versionId), () => store.delete('a/b'),
      () => store.deleteVersion('a/b', versionId), () => collect(store.listVersions('')), () => collect(store.versionsOf('a/b')), () => store.checkVersioning(),
    ];
    for (const call of calls) {
      const fault = await call().catch((error: unknown) => error);
      expect(fault).toMatchObject({ kind: 'unavailable', message: expect.not.stringContaining(directory) });
    }
    await rename(join(directory, 'elsewhere'), join(directory, 'store'));
    expect(await getText(store, 'a/b', versionId)).toBe('x');
  });

  test('a listing whose volume goes away on the way does not end as if that were all', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory: join(directory, 'store') });
    for (const key of ['a/1', 'b/1', 'c/1']) await putText(store, key, 'x');
    const seen: string[] = [];
    const listing = async (): Promise<void> => {
      for await (const { key } of store.listVersions('')) {
        seen.push(key);
        if (key === 'a/1') await rename(join(directory, 'store'), join(directory, 'elsewhere'));
      }
    };
    await expect(listing()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(seen).toEqual(['a/1']);
  });

  test('files of others in it are not taken for versions', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    await putText(store, 'a/b', 'x');
    for (const path of ['versions/.DS_Store', 'versions/a/.nfs1', 'versions/a/b=/note.txt', 'versions/a/b=/.x.swp', 'versions/a/B=']) {
      await writeFile(join(directory, path), 'x');
    }
    expect(await listedKeys(store, '')).toEqual(['a/b']);
  });

  test('only its owner may enter it or read its files', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    await putText(store, 'a/b', 'x');
    for (const path of await readdir(directory, { recursive: true })) expect((await stat(join(directory, path))).mode & 0o077, path).toBe(0);
  });

  test('deleting the last version of a key takes its empty directories away, and no others', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    const kept = await putText(store, 'a/kept', 'x');
    const gone = await putText(store, 'a/b/c/gone', 'x');
    await store.deleteVersion(gone.key, gone.versionId);
    expect(await readdir(join(directory, 'versions', 'a'))).toEqual(['kept=']);
    await store.deleteVersion(kept.key, kept.versionId);
    expect(await readdir(join(directory, 'versions'))).toEqual([]);
  });

  test('directories that a kill left empty go with the next deletion below them', async () => {
    const directory = await temporaryDirectory();
    const store = await openEmbeddedStore({ directory });
    await mkdir(join(directory, 'versions/a/b='), { recursive: true });
    await store.deleteVersion('a/b', 'whatever');
    expect(await readdir(join(directory, 'versions'))).toEqual([]);
  });
});

describe('options', () => {
  test('a store without signing signs nothing', async () => {
    const store = await openEmbeddedStore({ directory: await temporaryDirectory() });
    await expect(store.signUpload('a', { maxBytes: 1, expiresInMs: 1 })).rejects.toMatchObject({ kind: 'unsupported' });
    await expect(store.signDownload('a', 'v', { contentType: 'a/b', expiresInMs: 1 })).rejects.toMatchObject({ kind: 'unsupported' });
  });

  test('short secrets, none, a bad base URL and no age are refused', async () => {
    const directory = await temporaryDirectory();
    const baseUrl = 'http://127.0.0.1/objects';
    for (const signing of [{ secrets: [], baseUrl }, { secrets: ['short'], baseUrl }, { secrets, baseUrl: 'objects' }, { secrets, baseUrl: `${baseUrl}?a=b` }]) {
      await expect(openEmbeddedStore({ directory, signing })).rejects.toMatchObject({ kind: 'invalid' });
    }
    await expect(openEmbeddedStore({ directory, staleTemporaryMs: 0 })).rejects.toMatchObject({ kind: 'invalid' });
  });
});
