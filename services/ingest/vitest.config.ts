import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Loading gRPC, PostgreSQL's client and fastify afresh for each file costs seconds; each file has a database and services of its own.
export default mergeConfig(project({ postgres: true, s3: true }), { test: { isolate: false } });
