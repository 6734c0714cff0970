import { fileURLToPath } from 'node:url';
import { createLogger, createRegistry } from '@leasehold/service';
import type { Registry } from 'prom-client';
import { PicturePool, type PicturePoolOptions } from '../rendering/pool/picture-pool.js';

// Children are processes of their own: they run what is built, wherever this module runs from.
const built = (path: string): string => fileURLToPath(new URL(path, import.meta.url)).replace('/src/', '/dist/');

export const childPrograms = { pictures: built('../rendering/pool/child/main.js'), unruly: built('./unruly-child.js') };

/** A pool as the worker has it, with bounds that no sound picture of these tests comes near. */
export function testPool(o: Partial<PicturePoolOptions> = {}): { pool: PicturePool; registry: Registry } {
  const registry = o.registry ?? createRegistry('image-worker');
  const logger = createLogger({ service: 'image-worker', level: 'silent' });
  return { registry, pool: new PicturePool({ program: childPrograms.pictures, children: 1, timeoutMs: 60_000, memoryBytes: 1536 * 1024 * 1024, logger, ...o, registry }) };
}
