import { availableParallelism } from 'node:os';
import { ConfigError, durationMs, hostPorts, integer, parseConfig, port, str, tlsFilesOf, tlsVariables, type TlsFiles } from '@leasehold/service';
import { storeForms, storeSettings, type StoreSettings } from '@leasehold/object-store';
import { defaultLimits, type PictureLimits } from './rendering/limits.js';

export interface WorkerConfig {
  /** host:port of every coordinator; at least one. */
  readonly coordinators: readonly string[];
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
  /** How long before a lease's end the worker stops trusting it. */
  readonly leaseMarginMs: number;
  /** How long running jobs may go on after a stop was asked for. */
  readonly drainTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** Undefined: plaintext, on this machine only. */
  readonly tls: TlsFiles | undefined;
  readonly http: { readonly host: string; readonly port: number };
}

// After the drain, what is left must be told to stop, handed back, and signed off.
const STOP_BEYOND_DRAIN_MS = 5_000;
// What Node itself takes, and room for a picture of some megapixels.
const LEAST_MEMORY_BYTES = 256 * 1024 * 1024;

/** Every variable of the worker; README.md lists them. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const c = parseConfig({
    LEASEHOLD_COORDINATORS: hostPorts({ desc: 'where the coordinators listen', example: '127.0.0.1:7400,127.0.0.1:7402' }),
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
    LEASEHOLD_LEASE_MARGIN: durationMs({ min: 100, default: 2_000, desc: 'how long before its end a lease is not trusted any more' }),
    LEASEHOLD_DRAIN_TIMEOUT: durationMs({ default: 40_000, desc: 'how long running jobs may go on once a stop was asked for' }),
    LEASEHOLD_STOP_TIMEOUT: durationMs({ min: 1_000, default: 50_000, desc: 'longest time for a stop' }),
    ...tlsVariables,
    LEASEHOLD_HTTP_HOST: str({ default: '127.0.0.1' }),
    LEASEHOLD_HTTP_PORT: port({ default: 7421 }),
  }, { ...env, LEASEHOLD_STORE: env['LEASEHOLD_STORE'] || env['LEASEHOLD_STORE_DIR'] });
  const store = storeSettings(c);
  if ('problems' in store) throw new ConfigError(store.problems);
  const leastStopMs = c.LEASEHOLD_DRAIN_TIMEOUT + STOP_BEYOND_DRAIN_MS;
  if (c.LEASEHOLD_STOP_TIMEOUT < leastStopMs) {
    throw new ConfigError([{ variable: 'LEASEHOLD_STOP_TIMEOUT', problem: `must be at least ${leastStopMs}ms, ${STOP_BEYOND_DRAIN_MS}ms above LEASEHOLD_DRAIN_TIMEOUT` }]);
  }
  return Object.freeze({
    coordinators: c.LEASEHOLD_COORDINATORS,
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
    leaseMarginMs: c.LEASEHOLD_LEASE_MARGIN,
    drainTimeoutMs: c.LEASEHOLD_DRAIN_TIMEOUT,
    stopTimeoutMs: c.LEASEHOLD_STOP_TIMEOUT,
    tls: tlsFilesOf(c),
    http: Object.freeze({ host: c.LEASEHOLD_HTTP_HOST, port: c.LEASEHOLD_HTTP_PORT }),
  });
}
