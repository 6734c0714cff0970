import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Loading gRPC afresh for each file costs more than the tests of most; each test stops the servers and closes the clients that it starts.
export default mergeConfig(project(), { test: { isolate: false } });
