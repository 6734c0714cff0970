import { leftOut, testRedis } from '@leasehold/test-stack';
import { describe } from 'vitest';
import { dispatcherConformance } from '../dispatcher.conformance.js';

describe.skipIf(leftOut('redis'))('BullMQ', () => {
  dispatcherConformance('bullmq', async () => {
    const { url, prefix } = await testRedis();
    return { LEASEHOLD_REDIS_URL: url, LEASEHOLD_REDIS_PREFIX: prefix };
  });
});
