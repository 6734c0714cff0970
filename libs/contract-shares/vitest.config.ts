import { project } from '@leasehold/test-stack/vitest';

export default project();
