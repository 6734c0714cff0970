import { ConfigError, durationMs, integer, parseConfig, str, url } from '@leasehold/service';
import { defaultLimits, type ShipmentLimits } from '@leasehold/shipment-csv';
import { storeForms, storeSettings, type StoreSettings } from '@leasehold/object-store';
import { workerSettings, workerVariables, type WorkerSettings } from '@leasehold/worker-runtime';

export interface WorkerConfig extends WorkerSettings {
  readonly store: StoreSettings;
  /** A secret. */
  readonly recordsUrl: string;
  /** Imports at once. */
  readonly concurrency: number;
  readonly limits: ShipmentLimits;
  /** How long the store may leave a run without the next bytes. */
  readonly storeTimeoutMs: number;
}

/** Every variable of the worker; README.md lists them. Throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): WorkerConfig {
  const c = parseConfig({
    ...workerVariables({ httpPort: 7431, drainTimeoutMs: 40_000 }),
    LEASEHOLD_RECORDS_DATABASE_URL: url({ desc: 'the database `records`, as the role of this worker', example: 'postgresql://leasehold_import_worker@127.0.0.1:7432/records' }),
    LEASEHOLD_STORE: str({ desc: `where objects lie: ${storeForms}`, example: '/var/lib/leasehold/store' }),
    LEASEHOLD_STORE_DIR: str({ default: undefined, desc: 'the name of LEASEHOLD_STORE from when it could only be a directory' }),
    LEASEHOLD_S3_ACCESS_KEY_ID: str({ default: undefined, desc: 'needed where the store is an S3' }),
    LEASEHOLD_S3_SECRET_ACCESS_KEY: str({ default: undefined, desc: 'needed where the store is an S3' }),
    LEASEHOLD_STORE_TIMEOUT: durationMs({ min: 100, max: 3_600_000, default: 30_000, desc: 'longest time without a byte from the store' }),
    LEASEHOLD_WORKER_CONCURRENCY: integer({ min: 1, max: 16, default: 2, desc: 'imports at once' }),
    LEASEHOLD_SHIPMENT_MAX_BYTES: integer({ min: 1, default: defaultLimits.maxBytes, desc: 'largest file' }),
    LEASEHOLD_SHIPMENT_MAX_ROWS: integer({ min: 1, max: 2 ** 31 - 2, default: defaultLimits.maxRows, desc: 'most rows' }),
    LEASEHOLD_SHIPMENT_MAX_COLUMNS: integer({ min: 2, max: 10_000, default: defaultLimits.maxColumns, desc: 'most columns' }),
    LEASEHOLD_SHIPMENT_MAX_FIELD_BYTES: integer({ min: 1, max: 16 * 1024 * 1024, default: defaultLimits.maxFieldBytes, desc: 'longest field' }),
  }, { ...env, LEASEHOLD_STORE: env['LEASEHOLD_STORE'] || env['LEASEHOLD_STORE_DIR'] });
  const store = storeSettings(c);
  if ('problems' in store) throw new ConfigError(store.problems);
  return Object.freeze({
    ...workerSettings(c),
    store: store.settings,
    recordsUrl: c.LEASEHOLD_RECORDS_DATABASE_URL,
    concurrency: c.LEASEHOLD_WORKER_CONCURRENCY,
    limits: Object.freeze({
      maxBytes: c.LEASEHOLD_SHIPMENT_MAX_BYTES,
      maxRows: c.LEASEHOLD_SHIPMENT_MAX_ROWS,
      maxColumns: c.LEASEHOLD_SHIPMENT_MAX_COLUMNS,
      maxFieldBytes: c.LEASEHOLD_SHIPMENT_MAX_FIELD_BYTES,
      maxFaults: defaultLimits.maxFaults,
    }),
    storeTimeoutMs: c.LEASEHOLD_STORE_TIMEOUT,
  });
}
