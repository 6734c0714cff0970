import { randomBytes } from 'node:crypto';
import { CreateBucketCommand, ListBucketsCommand, PutBucketVersioningCommand, S3Client } from '@aws-sdk/client-s3';
import { StackFault } from './stack-fault.js';

/** Where the project's S3 listens, and who may use it. */
export interface S3Access {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The S3 that runs for this project, or why none does; set by `project({ s3: true })` unless LEASEHOLD_WITHOUT leaves it out. */
    leaseholdS3?: S3Access | { readonly refusal: string };
  }
}

export interface TestBucket extends S3Access {
  readonly bucket: string;
  /** `s3+http://HOST:PORT/BUCKET`, as services take it; without the keys. */
  readonly url: string;
}

export interface TestBucketOptions {
  /** Default `enabled`; `never`: as a bucket is made. */
  readonly versioning?: 'enabled' | 'suspended' | 'never';
}

/** A fresh bucket of its own on the project's S3. Safe in parallel test files; it goes with the run. */
export async function testBucket(o: TestBucketOptions = {}): Promise<TestBucket> {
  const { inject } = await import('vitest'); // Not at the top: tools use this package outside tests.
  const access = inject('leaseholdS3');
  if (access === undefined) throw new StackFault('no S3 runs for this project: its vitest.config.ts needs project({ s3: true }), and its tests describe.skipIf(leftOut(\'s3\'))');
  if ('refusal' in access) throw new StackFault(access.refusal);
  return makeBucket(access, o);
}

/** The same on any S3. */
export async function makeBucket(access: S3Access, { versioning = 'enabled' }: TestBucketOptions = {}): Promise<TestBucket> {
  const { endpoint, accessKeyId, secretAccessKey } = access;
  const bucket = `test-${randomBytes(8).toString('hex')}`;
  const client = clientOf(access);
  try {
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    if (versioning !== 'never') {
      const Status = versioning === 'enabled' ? 'Enabled' : 'Suspended';
      await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }));
    }
  } finally {
    client.destroy();
  }
  return { endpoint, accessKeyId, secretAccessKey, bucket, url: `${endpoint.replace(/^http/, 's3+http')}/${bucket}` };
}

/** Whether the S3 knows the keys, which a stranger's does not. */
export async function acceptsKeys(access: S3Access): Promise<boolean> {
  const client = clientOf(access);
  try {
    await client.send(new ListBucketsCommand({}));
    return true;
  } catch {
    return false;
  } finally {
    client.destroy();
  }
}

function clientOf({ endpoint, accessKeyId, secretAccessKey }: S3Access): S3Client {
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'; // It would tell every run that later versions need a later Node.
  return new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
