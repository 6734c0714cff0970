import { expect, test } from 'vitest';
import { collect, listedKeys, putText, type Subject } from './subject.js';

export function listingsHold(subject: () => Subject): void {
  test('a listing names every version and marker with its size and time, newest first within a key', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const first = await putText(store, key, 'first');
    const marker = await store.delete(key);
    const last = await putText(store, key, 'the last');
    const listed = await collect(store.listVersions(prefix));
    const storedAt = expect.any(Date);
    expect(listed).toEqual([
      { key, versionId: last.versionId, sizeBytes: 8, storedAt, deleteMarker: false },
      { key, versionId: marker.versionId, storedAt, deleteMarker: true },
      { key, versionId: first.versionId, sizeBytes: 5, storedAt, deleteMarker: false },
    ]);
    expect(await collect(store.versionsOf(key))).toEqual(listed);
    const times = listed.map((entry) => entry.storedAt.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  test('keys come in the order of their UTF-8 bytes, across folders', async () => {
    const { store, prefix } = subject();
    // A slash sorts between `.` and `0`, so a folder's keys come between its neighbours'; U+FF5E sorts before U+1F600 in UTF-8 only.
    const long = 'l'.repeat(80);
    const names = ['Z', 'a', 'a!', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a/b0', 'a0', 'ab', long, `${long}!`, `${long}/x`, `${long}m`, '～', '😀'];
    for (const name of names.toReversed()) await putText(store, prefix + name, name);
    expect(await listedKeys(store, prefix)).toEqual(names.map((name) => prefix + name));
  });

  test('a prefix may end anywhere, and lists what starts with it and nothing else', async () => {
    const { store, prefix } = subject();
    for (const name of ['photo', 'photo-2', 'photo/1', 'photos/1', 'phot', 'x/photo']) await putText(store, prefix + name, name);
    const below = async (part: string): Promise<string[]> => (await listedKeys(store, prefix + part)).map((key) => key.slice(prefix.length));
    expect(await below('photo')).toEqual(['photo', 'photo-2', 'photo/1', 'photos/1']);
    expect(await below('photo/')).toEqual(['photo/1']);
    expect(await below('photos/1')).toEqual(['photos/1']);
    expect(await below('photo/1/')).toEqual([]);
    expect(await below('nothing')).toEqual([]);
    expect(await below('photo//')).toEqual([]);
    expect(await below('../')).toEqual([]);
  });

  test('a key\'s own versions are listed without those of longer keys', async () => {
    const { store, prefix } = subject();
    for (const name of ['photo', 'photo-2', 'photo/1']) await putText(store, prefix + name, name);
    expect((await collect(store.versionsOf(`${prefix}photo`))).map((entry) => entry.key)).toEqual([`${prefix}photo`]);
    expect(await collect(store.versionsOf(`${prefix}none`))).toEqual([]);
  });

  test('a sweep may delete what it lists while it lists', async () => {
    const { store, prefix } = subject();
    for (let n = 0; n < 12; n += 1) await putText(store, `${prefix}${n % 3}/${n}`, 'x');
    await store.delete(`${prefix}0/0`);
    let deleted = 0;
    for await (const { key, versionId } of store.listVersions(prefix)) {
      await store.deleteVersion(key, versionId);
      deleted += 1;
    }
    expect(deleted).toBe(13);
    expect(await listedKeys(store, prefix)).toEqual([]);
  });

  test('an abort ends a listing', async () => {
    const { store, prefix } = subject();
    for (const name of ['a/1', 'b/1', 'c/1']) await putText(store, prefix + name, name);
    const caller = new AbortController();
    const reason = new Error('enough');
    const listing = store.listVersions(prefix, { signal: caller.signal })[Symbol.asyncIterator]();
    expect((await listing.next()).done).toBe(false);
    caller.abort(reason);
    // What was fetched already may still come; the end must not be reported as one.
    const rest = async (): Promise<void> => {
      while ((await listing.next()).done !== true);
    };
    await expect(rest()).rejects.toBe(reason);
  });
}
