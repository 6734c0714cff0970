import type { Identified } from '@leasehold/worker-runtime';

/** What runs is called `image-worker@<version>`: by the worker as it registers, and by the build's manifest. */
export const identity: Identified = { name: 'image-worker', packageJson: new URL('../package.json', import.meta.url) };
