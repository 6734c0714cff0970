import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openS3Store } from '@leasehold/object-store';
import { leftOut, testBucket } from '@leasehold/test-stack';
import { execa } from 'execa';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from './data/scratch-folder.fixture.js';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe.skipIf(leftOut('s3'))('the stack on an S3', () => {
  test('keeps pictures in the bucket, and says no secret', { timeout: 120_000 }, async () => {
    const data = await scratchFolder();
    const photo = join(data, 'photo.jpg');
    await sharp({ create: { width: 640, height: 480, channels: 3, background: '#a05020' } }).jpeg().toFile(photo);
    const bucket = await testBucket();
    const env = { INIT_CWD: undefined, LEASEHOLD_S3_ACCESS_KEY_ID: bucket.accessKeyId, LEASEHOLD_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey };
    const { exitCode, all } = await execa('node', [main, photo, '--exit', '--data', data, '--s3', `${bucket.endpoint}/${bucket.bucket}`], { reject: false, all: true, cleanup: true, env });
    expect(exitCode, all).toBe(0);
    expect(all).not.toContain(bucket.secretAccessKey);
    const store = await openS3Store(bucket);
    const keys: string[] = [];
    for await (const { key } of store.listVersions('')) keys.push(key.split('/')[0] ?? '');
    expect(keys).toEqual(['renditions', 'shipments', 'uploads']);
    store.close();
  });
});
