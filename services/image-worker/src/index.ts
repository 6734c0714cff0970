import { fileURLToPath } from 'node:url';

const entry = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What `node` runs: the worker, the same worker with failpoints for tests and demonstrations (see README.md), and a child of its pool. */
export const programs = Object.freeze({
  worker: entry('./main.js'),
  workerWithFailpoints: entry('./testing/main.js'),
  pictureChild: entry('./rendering/pool/child/main.js'),
});

export { failpoints, type Failpoint } from './testing/failpoints.js';

// For the benches, which measure what the pool costs.
export { defaultLimits, type PictureLimits } from './rendering/limits.js';
export { PicturePool, type PicturePoolOptions } from './rendering/pool/picture-pool.js';
