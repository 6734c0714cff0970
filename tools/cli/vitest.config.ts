import { project } from '@leasehold/test-stack/vitest';
import { mergeConfig } from 'vitest/config';

// Files wait for fleets, restores and deadlines more than they work.
export default mergeConfig(project({ postgres: true }), { test: { maxWorkers: 4 } });
