import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { leftOut, startFaultyHttpProxy, testBucket, type FaultyHttpProxy, type HttpMischief, type SeenRequest, type TestBucket, type TestBucketOptions } from '@leasehold/test-stack';
import { describe, expect, onTestFinished, test } from 'vitest';
import { collect, getText, putText, stallingSource } from '../conformance/subject.js';
import type { ListedVersion } from '../object-store.js';
import type { S3StoreOptions } from './bucket-calls.js';
import { openS3Store, type S3Store } from './s3-store.js';

const partBytes = 5 * 1024 * 1024;
const contentType = 'application/octet-stream';

interface World {
  readonly store: S3Store;
  readonly bucket: TestBucket;
  readonly proxy: FaultyHttpProxy;
  /** What happens to a request from now on. */
  readonly cause: (mischief: (request: SeenRequest) => HttpMischief | undefined) => void;
  readonly versions: () => Promise<ListedVersion[]>;
  readonly uploads: () => Promise<number>;
}

/** A store on a bucket of its own, behind a proxy that does nothing until it is told to. */
async function world(o: Partial<S3StoreOptions> & { readonly bucket?: never } = {}, bucketOptions: TestBucketOptions = {}): Promise<World> {
  const bucket = await testBucket(bucketOptions);
  let mischief: (request: SeenRequest) => HttpMischief | undefined = () => undefined;
  const proxy = await startFaultyHttpProxy(bucket.endpoint, (request) => mischief(request));
  const store = await openS3Store({ ...bucket, endpoint: proxy.url, partBytes, ...o });
  const direct = await openS3Store(bucket);
  const { endpoint, accessKeyId, secretAccessKey } = bucket;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  onTestFinished(async () => {
    store.close();
    direct.close();
    client.destroy();
    await proxy.stop();
  });
  return {
    store,
    bucket,
    proxy,
    cause: (next) => {
      mischief = next;
    },
    versions: async () => (await collect(direct.listVersions(''))).filter((entry) => !entry.deleteMarker),
    uploads: async () => ((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.bucket }))).Uploads ?? []).length,
  };
}

const once = (kind: (request: SeenRequest) => boolean, fault: HttpMischief, times = 1): ((request: SeenRequest) => HttpMischief | undefined) => {
  let left = times;
  return (request) => {
    if (!kind(request) || left === 0) return undefined;
    left -= 1;
    return fault;
  };
};
const isPut = ({ method }: SeenRequest): boolean => method === 'PUT';
const isGet = ({ method }: SeenRequest): boolean => method === 'GET';
const isPart = ({ method, url }: SeenRequest): boolean => method === 'PUT' && url.includes('partNumber=');
const isComplete = ({ method, url }: SeenRequest): boolean => method === 'POST' && url.includes('uploadId=');
const busy: HttpMischief = { kind: 'answer', status: 503, body: '<Error><Code>SlowDown</Code></Error>' };

async function* large(bytes: number, given: { count: number } = { count: 0 }): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += 65_536, given.count += 1) yield Buffer.alloc(Math.min(65_536, bytes - at), at / 65_536);
}

describe.skipIf(leftOut('s3'))('an S3 that misbehaves', () => {
  describe('busy, away or slow', () => {
    test('a busy store is asked again, a bounded number of times', async () => {
      const { store, cause, proxy, versions } = await world({ attempts: 3 });
      cause(once(isPut, busy, 2));
      await putText(store, 'a', 'x');
      expect(await versions()).toHaveLength(1);
      cause(() => busy);
      const before = proxy.seen.length;
      await expect(putText(store, 'a', 'x')).rejects.toMatchObject({ kind: 'unavailable', message: 'put: SlowDown (HTTP 503)' });
      expect(proxy.seen.length - before).toBe(3);
    });

    test('a store that does not answer costs every call its time, not more', async () => {
      const { store, cause } = await world({ attempts: 2, attemptTimeoutMs: 100 });
      const { versionId } = await putText(store, 'a', 'x');
      cause(() => ({ kind: 'stall' }));
      const calls = [() => putText(store, 'a', 'y'), () => store.get('a', versionId), () => store.head('a', versionId), () => collect(store.listVersions('')), () => store.deleteVersion('a', versionId), () => store.checkVersioning(), () => store.signUpload('a', { maxBytes: 1, expiresInMs: 1000 })];
      await Promise.all(calls.map((call) => expect(call()).rejects.toMatchObject({ kind: 'unavailable' })));
    });

    test('a store that is not there at all is unavailable', async () => {
      const { store, proxy } = await world({ attempts: 2 });
      await proxy.stop();
      await expect(store.checkVersioning()).rejects.toMatchObject({ kind: 'unavailable', message: 'checkVersioning: ECONNREFUSED' });
    });

    test('an abort ends a call that hangs, with its reason', async () => {
      const { store, cause, proxy } = await world();
      cause(() => ({ kind: 'stall' }));
      const caller = new AbortController();
      const before = proxy.seen.length;
      const outcome = expect(store.head('a', 'v', { signal: caller.signal })).rejects.toThrow('the caller left');
      await expect.poll(() => proxy.seen.length).toBeGreaterThan(before);
      caller.abort(new Error('the caller left'));
      await outcome;
    });
  });

  describe('half a request, half an answer', () => {
    test('a put that was cut half way is sent again, and stored once', async () => {
      const { store, cause, versions } = await world();
      cause(once(isPut, { kind: 'cut_request', bytes: 100 }));
      const stored = await store.put('a', large(200_000), { contentType });
      expect(await versions()).toMatchObject([{ versionId: stored.versionId, sizeBytes: 200_000 }]);
    });

    test('a put whose answer was lost is sent again: the version that is answered is whole, and the listing shows the other to sweeps', async () => {
      const { store, cause, versions } = await world();
      cause(once(isPut, { kind: 'drop_answer' }));
      const stored = await putText(store, 'a', 'x');
      expect(await getText(store, 'a', stored.versionId)).toBe('x');
      expect((await versions()).map(({ versionId }) => versionId)).toEqual([stored.versionId, expect.any(String)]);
    });

    test('bytes that change on the way up are never stored: the signature covers them', async () => {
      const { store, cause, versions, uploads } = await world({ attempts: 1 });
      cause((request) => (isPut(request) ? { kind: 'flip_request_bit', bytes: 70_000 } : undefined));
      await expect(store.put('a', large(200_000), { contentType })).rejects.toMatchObject({ kind: 'unavailable', message: expect.stringContaining('HTTP 4') });
      await expect(store.put('a', large(partBytes + 70_001), { contentType })).rejects.toMatchObject({ kind: 'unavailable' });
      expect([await versions(), await uploads()]).toEqual([[], 0]);
    });

    test.for([
      ['cut', { kind: 'cut_answer', bytes: 150_000 }, 'unavailable'],
      ['silent', { kind: 'stall_answer', bytes: 150_000 }, 'unavailable'],
      ['short, and says so', { kind: 'shorten_answer', bytes: 150_000 }, 'damaged'],
      ['changed by one bit', { kind: 'flip_bit', bytes: 199_999 }, 'damaged'],
    ] as const)('a read that is %s never looks complete', async ([, fault, kind]) => {
      const { store, cause } = await world({ attemptTimeoutMs: 1_000 });
      const { versionId } = await store.put('a', large(200_000), { contentType });
      cause(once(isGet, fault));
      const { body } = await store.get('a', versionId);
      let read = 0;
      const reading = async (): Promise<void> => {
        for await (const chunk of body) read += chunk.byteLength;
      };
      await expect(reading()).rejects.toMatchObject({ kind });
      expect(read).toBeLessThan(kind === 'damaged' && fault.kind === 'flip_bit' ? 200_000 : 150_000);
    });
  });

  describe('large bodies', () => {
    test('go up in parts and come back as they were, read by their announced size as nothing else is recorded', async () => {
      const { store, proxy, uploads } = await world();
      const stored = await store.put('a', large(2 * partBytes + 7), { contentType: 'image/tiff' });
      expect(proxy.seen.filter(isPart)).toHaveLength(3);
      const { version, body } = await store.get('a', stored.versionId);
      const digest = createHash('sha256');
      for await (const chunk of body) digest.update(chunk);
      expect(digest.digest()).toEqual(stored.sha256);
      expect(version).toMatchObject({ sizeBytes: 2 * partBytes + 7, contentType: 'image/tiff' });
      expect(version.sha256).toBeUndefined();
      expect(await uploads()).toBe(0);
    });

    test('of exactly a part go up whole', async () => {
      const { store, proxy } = await world();
      const { sha256, versionId } = await store.put('a', large(partBytes), { contentType });
      expect(proxy.seen.filter(isPart)).toHaveLength(0);
      expect((await store.head('a', versionId)).sha256).toEqual(sha256);
    });

    test('a body that throws, or has too many bytes, leaves neither a version nor parts', async () => {
      const { store, proxy, versions, uploads } = await world();
      const lost = new Error('connection lost');
      async function* torn(): AsyncGenerator<Uint8Array> {
        yield* large(partBytes + 1);
        throw lost;
      }
      await expect(store.put('a', torn(), { contentType })).rejects.toBe(lost);
      await expect(store.put('a', large(2 * partBytes), { contentType, maxBytes: partBytes + 100_000 })).rejects.toMatchObject({ kind: 'too_large' });
      expect(proxy.seen.filter(({ method, url }) => method === 'POST' && url.includes('?uploads'))).toHaveLength(2);
      expect([await versions(), await uploads()]).toEqual([[], 0]);
    });

    test('an abort leaves neither', async () => {
      const { store, versions, uploads } = await world();
      const source = stallingSource(Buffer.alloc(partBytes + 1));
      const caller = new AbortController();
      const outcome = expect(store.put('a', source.body, { contentType, signal: caller.signal })).rejects.toThrow('enough');
      await source.stalled;
      caller.abort(new Error('enough'));
      await outcome;
      await source.closed;
      expect([await versions(), await uploads()]).toEqual([[], 0]);
    });

    test('a part that cannot be stored leaves neither', async () => {
      const { store, cause, versions, uploads } = await world({ attempts: 1 });
      cause(once(isPart, busy));
      await expect(store.put('a', large(3 * partBytes), { contentType })).rejects.toMatchObject({ kind: 'unavailable' });
      expect([await versions(), await uploads()]).toEqual([[], 0]);
    });

    test('one whose end was confirmed but never heard of is a version or unavailable, and whole if it is there', async () => {
      const { store, cause, versions } = await world();
      cause(once(isComplete, { kind: 'drop_answer' }));
      const outcome = await store.put('a', large(partBytes + 1), { contentType }).then(({ versionId }) => versionId, (error: unknown) => error);
      const [listed, ...more] = await versions();
      expect([listed, more]).toMatchObject([{ sizeBytes: partBytes + 1 }, []]);
      if (typeof outcome === 'string') expect(outcome).toBe(listed?.versionId);
      else expect(outcome).toMatchObject({ kind: 'unavailable' });
      let sizeBytes = 0;
      for await (const chunk of (await store.get('a', listed?.versionId ?? '')).body) sizeBytes += chunk.byteLength;
      expect(sizeBytes).toBe(partBytes + 1);
    });

    test('while a part hangs, no more of the body is taken than the next part', async () => {
      const { store, cause, proxy } = await world();
      cause((request) => (isPart(request) ? { kind: 'stall' } : undefined));
      const given = { count: 0 };
      const caller = new AbortController();
      const outcome = expect(store.put('a', large(100 * partBytes, given), { contentType, signal: caller.signal })).rejects.toThrow('enough');
      // Two parts, and the chunk that shows that there is more.
      const most = 2 * (partBytes / 65_536);
      await expect.poll(() => [given.count, proxy.seen.some(isPart)]).toEqual([most, true]);
      caller.abort(new Error('enough'));
      await outcome;
      expect(given.count).toBe(most);
    });

    test('parts that a killed writer left go at the open of a day later', async () => {
      const { store, bucket, cause, uploads } = await world({ attempts: 1 });
      cause((request) => (isPart(request) || request.method === 'DELETE' ? busy : undefined));
      await expect(store.put('a', large(2 * partBytes), { contentType })).rejects.toMatchObject({ kind: 'unavailable' });
      expect(await uploads()).toBe(1);
      (await openS3Store({ ...bucket, now: () => Date.now() + 23 * 3_600_000 })).close();
      expect(await uploads()).toBe(1);
      (await openS3Store({ ...bucket, now: () => Date.now() + 25 * 3_600_000 })).close();
      expect(await uploads()).toBe(0);
    });
  });

  describe('the wrong bucket', () => {
    test.for([['never', 'not enabled'], ['suspended', 'suspended']] as const)('whose versioning is %s is refused, and what slips through is told', async ([versioning, word]) => {
      const { store } = await world({}, { versioning });
      await expect(store.checkVersioning()).rejects.toMatchObject({ kind: 'unversioned', message: expect.stringContaining(word) });
      await expect(putText(store, 'a', 'x')).rejects.toMatchObject({ kind: 'unversioned' });
      await expect(store.delete('a')).rejects.toMatchObject({ kind: 'unversioned' });
    });

    test('that does not exist is unavailable in every call, never an empty store', async () => {
      const store = await openS3Store({ ...await testBucket(), bucket: 'no-such-bucket' });
      const calls = [() => putText(store, 'a', 'x'), () => store.get('a', 'v'), () => store.head('a', 'v'), () => collect(store.listVersions('')), () => collect(store.versionsOf('a')), () => store.deleteVersion('a', 'v'), () => store.checkVersioning(), () => store.measureClockSkew()];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ kind: 'unavailable' });
      store.close();
    });

    test('wrong keys are unavailable, and no fault shows a secret', async () => {
      const bucket = await testBucket();
      const secretAccessKey = 'hunter2-hunter2-hunter2';
      const store = await openS3Store({ ...bucket, secretAccessKey });
      for (const call of [() => putText(store, 'a', 'x'), () => store.head('a', 'v'), () => collect(store.listVersions('')), () => store.checkVersioning()]) {
        const fault: unknown = await call().catch((error: unknown) => error);
        expect(fault).toMatchObject({ kind: 'unavailable' });
        expect(inspect(fault, { depth: 20, showHidden: true })).not.toContain(secretAccessKey);
      }
      store.close();
    });
  });

  describe('time', () => {
    test('a signed URL ends by the store\'s clock, and is not longer good than was asked for', async () => {
      const { store, bucket } = await world();
      const late = await openS3Store({ ...bucket, now: () => Date.now() - 61_000 });
      const { versionId } = await putText(store, 'a', 'x');
      const o = { contentType: 'a/b', expiresInMs: 60_999 };
      const signed = [await late.signDownload('a', versionId, o), await late.signUpload('a', { maxBytes: 1, expiresInMs: 60_999 })];
      for (const { url, method, headers, expireTime } of signed) {
        expect(expireTime.getTime()).toBeLessThanOrEqual(Date.now());
        const response = await fetch(url, { method, headers, ...(method === 'PUT' ? { body: 'x' } : {}) });
        await response.arrayBuffer();
        expect(response.status).toBe(403);
      }
      const fresh = await store.signDownload('a', versionId, { ...o, expiresInMs: 60_000 });
      expect((await fetch(fresh.url)).status).toBe(200);
      late.close();
    });

    test('the skew of the store\'s clock is measured to a second', async () => {
      const { store, cause } = await world();
      cause(() => ({ kind: 'shift_date', ms: 90_000 }));
      const { skewMs, uncertaintyMs } = await store.measureClockSkew();
      expect(Math.abs(skewMs - 90_000)).toBeLessThanOrEqual(uncertaintyMs);
    });
  });

  describe('signed uploads', () => {
    test('carry a guard only on a store that would take unsigned headers', async () => {
      const { store, cause } = await world();
      expect((await store.signUpload('a', { maxBytes: 1, expiresInMs: 1000 })).headers).toHaveProperty('x-amz-metadata-directive');
      // As Amazon does.
      const strict = await world();
      strict.cause(({ url, headers }) => {
        const signedHeaders = new URL(url, 'http://store').searchParams.get('X-Amz-SignedHeaders')?.split(';');
        const unsigned = signedHeaders === undefined ? [] : Object.keys(headers).filter((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));
        return unsigned.length > 0 ? { kind: 'answer', status: 403 } : undefined;
      });
      expect((await strict.store.signUpload('a', { maxBytes: 1, contentType: 'image/png', expiresInMs: 1000 })).headers).toEqual({ 'content-type': 'image/png' });
      expect(await strict.versions()).toEqual([]);
      cause(() => undefined);
    });

    test('are refused on a store that the guard does not help', async () => {
      const { store, cause, versions } = await world();
      cause(({ headers }) => (headers['x-amz-copy-source'] === undefined ? undefined : { kind: 'answer', status: 200 }));
      await expect(store.signUpload('a', { maxBytes: 1, expiresInMs: 1000 })).rejects.toMatchObject({ kind: 'unsupported' });
      expect(await versions()).toEqual([]);
    });

    test('are asked for again after a store that was away', async () => {
      const { store, cause } = await world({ attempts: 1 });
      cause(() => busy);
      await expect(store.signUpload('a', { maxBytes: 1, expiresInMs: 1000 })).rejects.toMatchObject({ kind: 'unavailable' });
      cause(() => undefined);
      await expect(store.signUpload('a', { maxBytes: 1, expiresInMs: 1000 })).resolves.toMatchObject({ method: 'PUT' });
    });
  });

  test('options that cannot work are invalid', async () => {
    const fine = { endpoint: 'https://s3.example.net', bucket: 'photos', accessKeyId: 'a', secretAccessKey: 'b' };
    const wrong: Partial<S3StoreOptions>[] = [{ endpoint: 's3.example.net' }, { endpoint: 'https://s3.example.net/photos' }, { endpoint: 'ftp://s3.example.net' }, { bucket: 'Photos' }, { bucket: 'a/b' }, { partBytes: partBytes - 1 }, { pageSize: 0 }, { pageSize: 1001 }, { attempts: 0 }, { attemptTimeoutMs: 0.5 }];
    for (const o of wrong) await expect(openS3Store({ ...fine, ...o }), inspect(o)).rejects.toMatchObject({ kind: 'invalid' });
  });
});
