import { availableParallelism } from 'node:os';
import { ConfigError, durationMs, integer, parseConfig, str } from '@leasehold/service';
import { workerSettings, workerVariables, type WorkerSettings } from '@leasehold/worker-runtime';
import { storeForms, storeSettings, type StoreSettings } from '@leasehold/object-store';
import { defaultLimits, type PictureLimits } from './rendering/limits.js';

export interface WorkerConfig extends WorkerSettings {
  readonly store: StoreSettings;
  /** Pictures at once. */
  readonly concurrency: number;
  /** Pictures to take and fetch beyond those. */
  readonly prefetch: number;
  readonly limits: PictureLimits;
  /** How long one picture may take to decode and encode. */
  readonly renderTimeoutMs: number;
  /** How much memory one picture's process may take. */
  readonly renderMemoryBytes: number;
  readonly storeTimeoutMs: number;
}

// What Node itself takes, and room for a picture of some megapixels.
const LEAST_MEMORY_BYTES = 256 * 1024 * 1024;

/** Every variable of the worker; README.md lists them. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const c = parseConfig({
    ...workerVariables({ httpPort: 7421, drainTimeoutMs: 40_000 }),
    LEASEHOLD_STORE: str({ desc: `where objects lie: ${storeForms}`, example: '/var/lib/leasehold/store' }),
    LEASEHOLD_STORE_DIR: str({ default: undefined, desc: 'the name of LEASEHOLD_STORE from when it could only be a directory' }),
    LEASEHOLD_S3_ACCESS_KEY_ID: str({ default: undefined, desc: 'needed where the store is an S3' }),
    LEASEHOLD_S3_SECRET_ACCESS_KEY: str({ default: undefined, desc: 'needed where the store is an S3' }),
    LEASEHOLD_WORKER_CONCURRENCY: integer({ min: 1, max: 256, default: availableParallelism(), desc: 'pictures at once' }),
    LEASEHOLD_WORKER_PREFETCH: integer({ min: 0, max: 512, default: 1, desc: 'pictures to take and fetch beyond those, so that none waits for the store' }),
    LEASEHOLD_IMAGE_MAX_BYTES: integer({ min: 1, max: 2 ** 31 - 1, default: defaultLimits.maxBytes, desc: 'largest file' }),
    LEASEHOLD_IMAGE_MAX_PIXELS: integer({ min: 1, max: 2 ** 31 - 1, default: defaultLimits.maxPixels, desc: 'largest width times height' }),
    LEASEHOLD_IMAGE_MAX_FRAMES: integer({ min: 1, default: defaultLimits.maxFrames, desc: 'most frames or pages' }),
    LEASEHOLD_IMAGE_RENDER_TIMEOUT: durationMs({ min: 100, max: 3_600_000, default: 30_000, desc: 'longest time for decoding and encoding' }),
    LEASEHOLD_IMAGE_MAX_MEMORY: integer({ min: LEAST_MEMORY_BYTES, default: 1536 * 1024 * 1024, desc: 'most memory of the process that makes one picture, in bytes' }),
    LEASEHOLD_STORE_TIMEOUT: durationMs({ min: 100, max: 3_600_000, default: 30_000, desc: 'longest time for one call to the store' }),
  }, { ...env, LEASEHOLD_STORE: env['LEASEHOLD_STORE'] || env['LEASEHOLD_STORE_DIR'] });
  const store = storeSettings(c);
  if ('problems' in store) throw new ConfigError(store.problems);
  return Object.freeze({
    ...workerSettings(c),
    store: store.settings,
    concurrency: c.LEASEHOLD_WORKER_CONCURRENCY,
    prefetch: c.LEASEHOLD_WORKER_PREFETCH,
    limits: Object.freeze({
      maxBytes: c.LEASEHOLD_IMAGE_MAX_BYTES,
      maxPixels: c.LEASEHOLD_IMAGE_MAX_PIXELS,
      maxSide: defaultLimits.maxSide,
      maxFrames: c.LEASEHOLD_IMAGE_MAX_FRAMES,
    }),
    renderTimeoutMs: c.LEASEHOLD_IMAGE_RENDER_TIMEOUT,
    renderMemoryBytes: c.LEASEHOLD_IMAGE_MAX_MEMORY,
    storeTimeoutMs: c.LEASEHOLD_STORE_TIMEOUT,
  });
}
