import type { Identified } from '@leasehold/worker-runtime';

/** What runs is called `import-worker@<version>`: by the worker as it registers, and by the build's manifest. */
export const identity: Identified = { name: 'import-worker', packageJson: new URL('../package.json', import.meta.url) };
