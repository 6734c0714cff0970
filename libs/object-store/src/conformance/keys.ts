import { expect, test } from 'vitest';
import { chunks, collect, getText, listedKeys, putText, type Subject } from './subject.js';

export function keysHold(subject: () => Subject): void {
  test('any text is a key of its own: spaces, case, accents in both forms, percent signs, dots, 512 bytes', async () => {
    const { store, prefix } = subject();
    const names = ['A', 'a', 'with space', 'é', 'é'.normalize('NFD'), '%41', '%2e', '+', 'a+', 'a=', '=', '.hidden', '...', 'C:\\x', '日本', '😀', '~', '*?"<>|', 'a/b', 'a/b=',
      'x'.repeat(512 - prefix.length)];
    const stored = await Promise.all(names.map((name) => putText(store, prefix + name, name)));
    for (const [n, name] of names.entries()) expect(await getText(store, prefix + name, stored[n]?.versionId ?? '')).toBe(name);
    expect((await listedKeys(store, prefix)).toSorted()).toEqual(names.map((name) => prefix + name).toSorted());
  });

  test('keys that leave their place, or are none, are invalid in every call', async () => {
    const { store } = subject();
    const bad = ['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', '../a', 'a/..', './a', 'a\0b', 'a\ud800', 'x'.repeat(513), 'é'.repeat(257)];
    const calls: ((key: string) => Promise<unknown>)[] = [
      (key) => store.put(key, chunks('x'), { contentType: 'a/b' }),
      (key) => store.get(key, 'v'),
      (key) => store.head(key, 'v'),
      (key) => store.delete(key),
      (key) => store.deleteVersion(key, 'v'),
      (key) => collect(store.versionsOf(key)),
      (key) => store.signUpload(key, { maxBytes: 1, expiresInMs: 1000 }),
      (key) => store.signDownload(key, 'v', { contentType: 'a/b', expiresInMs: 1000 }),
    ];
    for (const key of bad) for (const call of calls) await expect(call(key), JSON.stringify(key)).rejects.toMatchObject({ kind: 'invalid' });
  });
}
