import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { chunks, collect, getText, putText, type Subject } from './subject.js';

export function versionsHold(subject: () => Subject): void {
  test('a put answers size and SHA-256, and exactly its bytes and content type come back', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const stored = await store.put(key, chunks('one ', '', 'two'), { contentType: 'image/png' });
    const sha256 = createHash('sha256').update('one two').digest();
    expect(stored).toEqual({ key, versionId: expect.any(String), sizeBytes: 7, sha256 });
    const { version, body } = await store.get(key, stored.versionId);
    expect(Buffer.concat(await collect(body)).toString()).toBe('one two');
    expect(version).toMatchObject({ key, versionId: stored.versionId, sizeBytes: 7, contentType: 'image/png', deleteMarker: false });
    expect(version.sha256 ?? sha256).toEqual(sha256);
    expect(await store.head(key, stored.versionId)).toEqual(version);
  });

  test('an empty body is a version too', async () => {
    const { store, prefix } = subject();
    const stored = await store.put(`${prefix}a`, chunks(), { contentType: 'text/plain', maxBytes: 0 });
    expect(stored.sizeBytes).toBe(0);
    expect(await getText(store, `${prefix}a`, stored.versionId)).toBe('');
  });

  test('megabytes stream in and out unchanged, in chunks of any size', async () => {
    const { store, prefix } = subject();
    const bytes = randomBytes(5 * 1024 * 1024 + 1);
    async function* cut(): AsyncGenerator<Uint8Array> {
      for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 300_007) yield bytes.subarray(at, at + size);
    }
    const stored = await store.put(`${prefix}a`, cut(), { contentType: 'application/octet-stream' });
    expect(stored.sha256).toEqual(createHash('sha256').update(bytes).digest());
    const { body } = await store.get(`${prefix}a`, stored.versionId);
    expect(bytes.equals(Buffer.concat(await collect(body)))).toBe(true);
  });

  test('a version is read into memory of the caller, and never beyond it', async () => {
    const { store, prefix } = subject();
    const bytes = Buffer.from('some bytes '.repeat(200_000));
    const { versionId } = await store.put(`${prefix}a`, chunks(bytes.toString()), { contentType: 'image/png' });
    const memory = Buffer.alloc(bytes.length + 1);
    const { body } = await store.get(`${prefix}a`, versionId, { into: memory });
    let filled = 0;
    for await (const chunk of body) {
      if (chunk.buffer === memory.buffer) expect(chunk.byteOffset - memory.byteOffset).toBe(filled);
      else memory.set(chunk, filled);
      filled += chunk.byteLength;
    }
    expect(filled).toBe(bytes.length);
    expect(memory.equals(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe(true);
    await expect(store.get(`${prefix}a`, versionId, { into: memory.subarray(2) })).rejects.toMatchObject({ kind: 'too_large' });
  });

  test('a put never replaces: every earlier version still reads as it was', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const first = await putText(store, key, 'first');
    const second = await putText(store, key, 'second');
    expect(first.versionId).not.toBe(second.versionId);
    expect(await getText(store, key, first.versionId)).toBe('first');
    expect(await getText(store, key, second.versionId)).toBe('second');
  });

  test('puts of one key at the same time are all kept, each with its own bytes', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const texts = Array.from({ length: 12 }, (_, n) => `writer ${n}`);
    const stored = await Promise.all(texts.map((text) => putText(store, key, text)));
    expect(new Set(stored.map((version) => version.versionId)).size).toBe(texts.length);
    expect(await Promise.all(stored.map((version) => getText(store, key, version.versionId)))).toEqual(texts);
  });

  test('a delete adds a marker and removes nothing', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const stored = await putText(store, key, 'kept');
    const marker = await store.delete(key);
    expect(marker).toMatchObject({ key, deleteMarker: true });
    expect(await getText(store, key, stored.versionId)).toBe('kept');
    await expect(store.head(key, marker.versionId)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(store.get(key, marker.versionId)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('deleting a version removes that one for good and no other', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const first = await putText(store, key, 'first');
    const second = await putText(store, key, 'second');
    await store.deleteVersion(key, first.versionId);
    await expect(store.get(key, first.versionId)).rejects.toMatchObject({ kind: 'not_found' });
    expect(await getText(store, key, second.versionId)).toBe('second');
  });

  test('deleting what is gone already, a marker or what never was is no fault', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const stored = await putText(store, key, 'x');
    const marker = await store.delete(key);
    for (const id of [stored.versionId, marker.versionId]) {
      await store.deleteVersion(key, id);
      await store.deleteVersion(key, id);
    }
    await store.deleteVersion(`${prefix}never`, stored.versionId);
    expect(await collect(store.listVersions(prefix))).toEqual([]);
  });

  test('the store\'s clock is measured, with the bounds of what is known', async () => {
    const { skewMs, uncertaintyMs } = await subject().store.measureClockSkew();
    expect(uncertaintyMs).toBeGreaterThanOrEqual(0);
    // The store under test runs on this machine.
    expect(Math.abs(skewMs)).toBeLessThanOrEqual(uncertaintyMs);
  });

  test('a store that keeps versions passes the check', async () => {
    await expect(subject().store.checkVersioning()).resolves.toBeUndefined();
  });
}
