import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Three fleets at a time: they wait for leases and restarts more than they work.
export default mergeConfig(project({ postgres: true, s3: true, redis: true }), { test: { maxWorkers: 3 } });
