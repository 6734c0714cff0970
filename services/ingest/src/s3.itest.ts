import { CreateFileRequest, FileServiceService, FileState, GetDownloadUrlRequest } from '@leasehold/ingest-v1';
import { openS3Store } from '@leasehold/object-store';
import { JobState } from '@leasehold/queue-v1';
import { createClient } from '@leasehold/rpc';
import { createLogger, type Assembly } from '@leasehold/service';
import { freePort, leftOut, testBucket, type TestBucket, type TestBucketOptions } from '@leasehold/test-stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from './config.js';
import { assemble } from './server.js';
import { jobOf, present, secret, World } from './testbed/ingest.fixture.js';

describe.skipIf(leftOut('s3'))('the whole service on an S3', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.make();
  });
  afterAll(() => world.end());

  async function assembled(o: TestBucketOptions = {}): Promise<{ assembly: Assembly; lines: string[]; bucket: TestBucket }> {
    const bucket = await testBucket(o);
    const httpPort = await freePort();
    const lines: string[] = [];
    const logger = createLogger({ service: 'ingest', level: 'debug', destination: { write: (line) => { lines.push(line); } } });
    const config = readConfig({
      LEASEHOLD_GRPC_PORT: '0',
      LEASEHOLD_HTTP_PORT: String(httpPort),
      LEASEHOLD_RECORDS_DATABASE_URL: world.database.connectionString,
      LEASEHOLD_COORDINATORS: world.coordinator.address,
      LEASEHOLD_STORE: bucket.url,
      LEASEHOLD_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      LEASEHOLD_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
      LEASEHOLD_SIGNING_SECRET: secret,
      LEASEHOLD_PUBLIC_URL: `http://127.0.0.1:${httpPort}`,
      LEASEHOLD_OUTCOMES_WAIT: '50ms',
    });
    return { assembly: await assemble(config, logger), lines, bucket };
  }

  test('a photo goes up and comes down by URLs that the store itself serves; ingest serves none, reports the clock skew, and logs no secret', async () => {
    const { assembly, lines, bucket } = await assembled();
    await assembly.lifecycle.start();
    const { 'grpc-server': grpc, http } = assembly.lifecycle.addresses();
    const client = createClient(FileServiceService, present(grpc));
    const store = await openS3Store(bucket);
    try {
      const { file, uploadTarget } = await client.createFile(CreateFileRequest.create({ parent: 'namespaces/team-a', fileId: '', options: undefined }));
      const { url, method, headers } = present(uploadTarget);
      expect(url.startsWith(`${bucket.endpoint}/${bucket.bucket}/uploads/team-a/`)).toBe(true);
      const stored = await fetch(url, { method, headers, body: 'a photo' });
      const { name } = present(file);
      const versionId = present(stored.headers.get('x-amz-version-id') ?? undefined);
      const confirmed = await client.confirmFile({ name, versionId, sizeBytes: 7n, sha256: Buffer.alloc(0) });
      expect(confirmed.file).toMatchObject({ source: { versionId, sizeBytes: 7n } });
      const job = jobOf(present(confirmed.file));
      await expect.poll(() => world.coordinator.jobs.has(job)).toBe(true);
      const fence = world.coordinator.grant(job, { percent: 50, stage: 'encoding' });
      const watched = client.watchFile({ name });
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(name, fence, Buffer.from('a webp'), store) });
      let last: FileState = FileState.UNSPECIFIED;
      for await (const { file: card } of watched) last = present(card).state;
      expect(last).toBe(FileState.READY);
      const download = await fetch((await client.getDownloadUrl(GetDownloadUrlRequest.create({ name }))).url);
      expect([download.headers.get('content-type'), await download.text()]).toEqual(['image/webp', 'a webp']);
      expect((await fetch(`http://${present(http)}/objects?key=a`)).status).toBe(404);
      const log = lines.join('');
      expect(log).toMatch(/"event":"clock_skew","against":"store"/);
      for (const hidden of [bucket.secretAccessKey, secret, 'X-Amz-Signature', 'AWS4-HMAC']) expect(log).not.toContain(hidden);
    } finally {
      client.close();
      store.close();
      expect(await assembly.lifecycle.stop()).toEqual({ hung: [], failed: [], abandoned: [] });
    }
  });

  test.for(['never', 'suspended'] as const)('does not start on a bucket whose versioning is %s', async (versioning) => {
    const { assembly: { lifecycle } } = await assembled({ versioning });
    try {
      await expect(lifecycle.start()).rejects.toMatchObject({ kind: 'unversioned' });
      expect(lifecycle.addresses()).toEqual({});
    } finally {
      await lifecycle.stop();
    }
  });
});
