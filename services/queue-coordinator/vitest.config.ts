import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Loading gRPC, PostgreSQL's client and BullMQ afresh for each file costs seconds; each file has a database, a part of Redis and coordinators of its own. They wait more than they work.
export default mergeConfig(project({ postgres: true, redis: true }), { test: { isolate: false, maxWorkers: 4 } });
