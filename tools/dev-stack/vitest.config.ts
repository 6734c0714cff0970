import { project } from '@leasehold/test-stack/vitest';

export default project({ s3: true });
