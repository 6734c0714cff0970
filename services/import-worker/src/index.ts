import { fileURLToPath } from 'node:url';

const entry = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What `node` runs: the worker, and the same worker with failpoints for tests and demonstrations (see README.md). */
export const programs = Object.freeze({ worker: entry('./main.js'), workerWithFailpoints: entry('./testing/main.js') });

export { failpoints, type Failpoint } from './testing/failpoints.js';
