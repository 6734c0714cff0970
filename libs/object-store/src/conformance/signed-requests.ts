import { expect, test } from 'vitest';
import { getText, listedKeys, putText, type Subject } from './subject.js';

export function signedRequestsHold(subject: () => Subject): void {
  test('an upload URL stores a version of its key for whoever sends what it says', async () => {
    const { store, prefix, versionIdHeader } = subject();
    const key = `${prefix}an é upload`;
    const { url, method, headers, expireTime } = await store.signUpload(key, { contentType: 'image/png', maxBytes: 100, expiresInMs: 60_000 });
    expect(method).toBe('PUT');
    expect(expireTime.getTime()).toBeGreaterThan(Date.now());
    const response = await fetch(url, { method, headers, body: 'sent bytes' });
    expect(response.ok).toBe(true);
    const versionId = response.headers.get(versionIdHeader) ?? '';
    expect(await getText(store, key, versionId)).toBe('sent bytes');
    expect(await store.head(key, versionId)).toMatchObject({ contentType: 'image/png', sizeBytes: 10 });
  });

  test('an upload with another content type, key or signature is refused and stores nothing', async () => {
    const { store, prefix } = subject();
    const { url, method, headers } = await store.signUpload(`${prefix}aaa`, { contentType: 'image/png', maxBytes: 100, expiresInMs: 60_000 });
    const attempts: [string, RequestInit][] = [
      [url, { method, headers: { 'content-type': 'text/html' }, body: 'x' }],
      [url.replace('aaa', 'bbb'), { method, headers, body: 'x' }],
      [url.replace(/(?<=signature=)./i, (first) => (first === 'a' ? 'b' : 'a')), { method, headers, body: 'x' }],
      [url, { method: 'GET' }],
    ];
    for (const [target, init] of attempts) {
      const response = await fetch(target, init);
      await response.arrayBuffer();
      expect(response.status, init.method).toBeGreaterThanOrEqual(400);
    }
    expect(await listedKeys(store, prefix)).toEqual([]);
  });

  test('an upload URL with an exact size takes that length and no other, also none', async () => {
    const { store, prefix, versionIdHeader } = subject();
    const key = `${prefix}a`;
    const { url, method, headers } = await store.signUpload(key, { maxBytes: 100, sizeBytes: 5, expiresInMs: 60_000 });
    const unsized = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from('hello'));
        controller.close();
      },
    });
    const attempts: RequestInit[] = [{ body: 'hell' }, { body: 'hello!' }, {}, { body: unsized, duplex: 'half' }];
    for (const init of attempts) {
      const response = await fetch(url, { method, headers, ...init });
      await response.arrayBuffer();
      expect(response.status).toBeGreaterThanOrEqual(400);
    }
    expect(await listedKeys(store, prefix)).toEqual([]);
    const response = await fetch(url, { method, headers, body: 'hello' });
    expect(await getText(store, key, response.headers.get(versionIdHeader) ?? '')).toBe('hello');
  });

  test('what an upload claims about itself in further headers changes neither its bytes nor what is known of them', async () => {
    const { store, prefix, versionIdHeader } = subject();
    const victim = await putText(store, `${prefix}victim`, 'somebody else\'s');
    const { url, method, headers } = await store.signUpload(`${prefix}a`, { maxBytes: 100, expiresInMs: 60_000 });
    const { pathname } = new URL(url);
    const claims = {
      'x-amz-copy-source': `${pathname.slice(0, pathname.lastIndexOf('/'))}/victim?versionId=${victim.versionId}`,
      'x-amz-meta-leasehold-sha256': '0'.repeat(64),
      'x-amz-acl': 'public-read',
      'x-amz-metadata-directive': 'COPY',
    };
    for (const [name, value] of Object.entries(claims)) {
      const response = await fetch(url, { method, headers: { ...headers, [name]: value }, body: 'mine' });
      await response.arrayBuffer();
      if (!response.ok) continue;
      const versionId = response.headers.get(versionIdHeader) ?? '';
      expect(await getText(store, `${prefix}a`, versionId), name).toBe('mine');
      expect((await store.head(`${prefix}a`, versionId)).sha256?.toString('hex'), name).not.toBe('0'.repeat(64));
    }
    for await (const { key, versionId } of store.versionsOf(`${prefix}a`)) expect(await getText(store, key, versionId)).toBe('mine');
  });

  test('a download URL serves exactly its version, under the signed content type', async () => {
    const { store, prefix } = subject();
    const first = await putText(store, `${prefix}a`, 'the first');
    await putText(store, `${prefix}a`, 'the second');
    const o = { contentType: 'image/webp', expiresInMs: 60_000 };
    const { url, method, headers } = await store.signDownload(`${prefix}a`, first.versionId, o);
    const response = await fetch(url, { method, headers });
    expect(response.headers.get('content-type')).toBe('image/webp');
    expect(await response.text()).toBe('the first');
    const refused = await fetch(url.replace(first.versionId, `${first.versionId}0`));
    await refused.arrayBuffer();
    expect(refused.status).toBeGreaterThanOrEqual(400);
  });

  test('terms outside their ranges are invalid', async () => {
    const { store, prefix } = subject();
    for (const expiresInMs of [0, -1, 0.5, 7 * 86_400_000 + 1, Number.NaN]) {
      await expect(store.signUpload(`${prefix}a`, { maxBytes: 1, expiresInMs })).rejects.toMatchObject({ kind: 'invalid' });
      await expect(store.signDownload(`${prefix}a`, 'v', { contentType: 'a/b', expiresInMs })).rejects.toMatchObject({ kind: 'invalid' });
    }
    for (const sizeBytes of [0, -1, 1.5, 11, Number.NaN]) {
      await expect(store.signUpload(`${prefix}a`, { maxBytes: 10, sizeBytes, expiresInMs: 1000 })).rejects.toMatchObject({ kind: 'invalid' });
    }
    await expect(store.signUpload(`${prefix}a`, { maxBytes: 0, expiresInMs: 1000 })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(store.signDownload(`${prefix}a`, 'v', { contentType: 'x', expiresInMs: 1000 })).rejects.toMatchObject({ kind: 'invalid' });
  });
}
