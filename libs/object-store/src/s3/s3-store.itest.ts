import { leftOut, testBucket } from '@leasehold/test-stack';
import { describe } from 'vitest';
import { objectStoreConformance } from '../conformance/object-store.conformance.js';
import { openS3Store } from './s3-store.js';

const leastPartBytes = 5 * 1024 * 1024;

describe.skipIf(leftOut('s3'))('on Ceph', () => {
  objectStoreConformance('the S3 store', async () => {
    // Small parts and pages, so that what spans several is met.
    const store = await openS3Store({ ...await testBucket(), partBytes: leastPartBytes, pageSize: 2 });
    return { store, versionIdHeader: 'x-amz-version-id', close: async () => store.close() };
  });
});
