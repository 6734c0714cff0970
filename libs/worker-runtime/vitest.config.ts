import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Loading gRPC afresh for each file costs as much as the tests; none leaves anything behind in the modules.
export default mergeConfig(project(), { test: { isolate: false } });
