import { ImagePayload, ImageResult } from '@leasehold/jobs-image-v1';
import { openS3Store } from '@leasehold/object-store';
import { leftOut, startProcess, testBucket, type ServiceProcess, type TestBucket } from '@leasehold/test-stack';
import { ScriptedCoordinator } from '@leasehold/worker-runtime/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programs } from './index.js';
import { testFile } from './testing/manifest.js';

const program = programs.worker.replace('/src/', '/dist/').replace(/\.ts$/, '.js');

describe.skipIf(leftOut('s3'))('a worker on an S3', () => {
  let coordinator: ScriptedCoordinator;
  beforeEach(async () => {
    coordinator = new ScriptedCoordinator('image');
    await coordinator.start();
  });
  afterEach(() => coordinator.stop(AbortSignal.abort()));

  const startWorker = ({ url, accessKeyId, secretAccessKey }: TestBucket): Promise<ServiceProcess> => startProcess({
    name: 'image-worker',
    args: [program],
    env: {
      LEASEHOLD_COORDINATORS: coordinator.address,
      LEASEHOLD_STORE: url,
      LEASEHOLD_S3_ACCESS_KEY_ID: accessKeyId,
      LEASEHOLD_S3_SECRET_ACCESS_KEY: secretAccessKey,
      LEASEHOLD_WORKER_CONCURRENCY: '1',
      LEASEHOLD_HTTP_PORT: '0',
    },
  });

  test('makes a photo of exactly the version that was confirmed, and stores it there', async () => {
    const bucket = await testBucket();
    const store = await openS3Store(bucket);
    async function* photo(): AsyncGenerator<Uint8Array> {
      yield testFile('img-gps.jpg');
    }
    async function* other(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a later version that nobody confirmed');
    }
    const { key, versionId, sizeBytes, sha256 } = await store.put('uploads/team/photo', photo(), { contentType: 'application/octet-stream' });
    await store.put(key, other(), { contentType: 'application/octet-stream' });
    const source = { key, versionId, sizeBytes: BigInt(sizeBytes), sha256 };
    const payload = ImagePayload.encode(ImagePayload.create({ source, renditionPrefix: 'renditions/team/photo/', maxWidth: 320, maxHeight: 320, quality: 80, effort: 0 })).finish();
    coordinator.enqueue({ namespace: 'team', jobId: 'photo', payload });
    const worker = await startWorker(bucket);
    try {
      const { verb } = await coordinator.settlement('photo');
      const { rendition } = verb?.$case === 'complete' ? ImageResult.decode(verb.value.result) : {};
      expect(rendition).toMatchObject({ contentType: 'image/webp' });
      const made = await store.head(rendition?.key ?? '', rendition?.versionId ?? '');
      expect(made).toMatchObject({ sizeBytes: Number(rendition?.sizeBytes), contentType: 'image/webp', sha256: Buffer.from(rendition?.sha256 ?? []) });
      expect(JSON.stringify(worker.events())).not.toContain(bucket.secretAccessKey);
    } finally {
      store.close();
      expect(await worker.stop()).toEqual({ code: 0, signal: null });
    }
  });

  test.for(['never', 'suspended'] as const)('does not start on a bucket whose versioning is %s', async (versioning) => {
    const worker = await startWorker(await testBucket({ versioning }));
    expect(await worker.exited).toMatchObject({ code: 1 });
    expect(JSON.stringify(worker.events())).toContain('versioning');
    expect(coordinator.workers.size).toBe(0);
  });
});
