import { expect, test } from 'vitest';
import { chunks, collect, listedKeys, putText, stallingSource, type Subject } from './subject.js';

export function refusalsHold(subject: () => Subject): void {
  test('a version that does not exist is not found, whatever its id looks like', async () => {
    const { store, prefix } = subject();
    const stored = await putText(store, `${prefix}a`, 'x');
    const cases = [[`${prefix}b`, stored.versionId], [`${prefix}a`, 'no-such-id'], [`${prefix}a`, `../a=/${stored.versionId}`], [`${prefix}a`, '']] as const;
    for (const [key, versionId] of cases) {
      await expect(store.head(key, versionId), versionId).rejects.toMatchObject({ kind: 'not_found' });
      await expect(store.get(key, versionId), versionId).rejects.toMatchObject({ kind: 'not_found' });
    }
  });

  test('a body of exactly maxBytes is stored; one byte more is too large and leaves nothing', async () => {
    const { store, prefix } = subject();
    const o = { contentType: 'text/plain', maxBytes: 6 };
    expect(await store.put(`${prefix}a`, chunks('abc', 'def'), o)).toMatchObject({ sizeBytes: 6 });
    await expect(store.put(`${prefix}b`, chunks('abc', 'defg'), o)).rejects.toMatchObject({ kind: 'too_large' });
    expect(await listedKeys(store, prefix)).toEqual([`${prefix}a`]);
  });

  test('a body over maxBytes is refused while it streams, not at its end', async () => {
    const { store, prefix } = subject();
    let given = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;; given += 1) yield Buffer.alloc(65_536);
    }
    await expect(store.put(`${prefix}a`, endless(), { contentType: 'text/plain', maxBytes: 200_000 })).rejects.toMatchObject({ kind: 'too_large' });
    expect(given).toBeLessThan(20);
  });

  test('a get refuses a version over its maxBytes', async () => {
    const { store, prefix } = subject();
    const { versionId } = await putText(store, `${prefix}a`, 'seven b');
    await expect(store.get(`${prefix}a`, versionId, { maxBytes: 6 })).rejects.toMatchObject({ kind: 'too_large' });
    const { body } = await store.get(`${prefix}a`, versionId, { maxBytes: 7 });
    expect(await collect(body)).toHaveLength(1);
  });

  test('a body that throws leaves nothing, and the put rejects with what it threw', async () => {
    const { store, prefix } = subject();
    const lost = Object.assign(new Error('connection lost'), { code: 'ECONNRESET', syscall: 'read' });
    async function* torn(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw lost;
    }
    await expect(store.put(`${prefix}a`, torn(), { contentType: 'text/plain' })).rejects.toBe(lost);
    expect(await listedKeys(store, prefix)).toEqual([]);
  });

  test('an abort ends a put whose body hangs: nothing is stored, the body is closed, the reason comes out', async () => {
    const { store, prefix } = subject();
    const source = stallingSource(Buffer.from('half'));
    const caller = new AbortController();
    const reason = new Error('the caller left');
    const put = store.put(`${prefix}a`, source.body, { contentType: 'text/plain', signal: caller.signal });
    const outcome = expect(put).rejects.toBe(reason);
    await source.stalled;
    caller.abort(reason);
    await outcome;
    await source.closed;
    expect(await listedKeys(store, prefix)).toEqual([]);
  });

  test('an aborted signal stops every call before it does anything', async () => {
    const { store, prefix } = subject();
    const key = `${prefix}a`;
    const { versionId } = await putText(store, key, 'x');
    const reason = new Error('too late');
    const o = { signal: AbortSignal.abort(reason) };
    const calls: (() => Promise<unknown>)[] = [
      () => store.put(key, chunks('y'), { contentType: 'text/plain', ...o }),
      () => store.get(key, versionId, o),
      () => store.head(key, versionId, o),
      () => store.delete(key, o),
      () => store.deleteVersion(key, versionId, o),
      () => collect(store.listVersions(prefix, o)),
      () => collect(store.versionsOf(key, o)),
      () => store.checkVersioning(o),
      () => store.measureClockSkew(o),
    ];
    for (const call of calls) await expect(call()).rejects.toBe(reason);
    expect(await listedKeys(store, prefix)).toEqual([key]);
  });

  test('an abort ends a read between two chunks', async () => {
    const { store, prefix } = subject();
    const caller = new AbortController();
    const reason = new Error('the reader left');
    async function* large(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 64; n += 1) yield Buffer.alloc(65_536);
    }
    const { versionId } = await store.put(`${prefix}a`, large(), { contentType: 'text/plain' });
    const { body } = await store.get(`${prefix}a`, versionId, { signal: caller.signal });
    let read = 0;
    const reading = async (): Promise<void> => {
      for await (const chunk of body) {
        read += chunk.byteLength;
        caller.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    expect(read).toBeLessThan(64 * 65_536);
  });

  test('content types that are none, and limits that are no whole numbers, are invalid', async () => {
    const { store, prefix } = subject();
    for (const contentType of ['', 'png', 'image/', 'image/png\r\nx: y', `a/${'b'.repeat(99)}`, 'text/plain; charset="utf-8"']) {
      await expect(store.put(`${prefix}a`, chunks('x'), { contentType }), contentType).rejects.toMatchObject({ kind: 'invalid' });
    }
    for (const maxBytes of [-1, 1.5, Number.NaN]) {
      await expect(store.put(`${prefix}a`, chunks('x'), { contentType: 'a/b', maxBytes })).rejects.toMatchObject({ kind: 'invalid' });
    }
    const { versionId, ...stored } = await store.put(`${prefix}b`, chunks('x'), { contentType: 'text/csv; charset=utf-8' });
    expect((await store.head(stored.key, versionId)).contentType).toBe('text/csv; charset=utf-8');
  });
}
