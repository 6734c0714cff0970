import { ConfigError, durationMs, hostPorts, integer, parseConfig, port, str, tlsFilesOf, tlsVariables, url, type TlsFiles } from '@leasehold/service';
import { defaultLimits } from '@leasehold/shipment-csv';
import { callerLimitsOf, callerLimitVariables, type CallerLimits } from '@leasehold/rpc';
import { storeForms, storeSettings, type StoreSettings } from '@leasehold/object-store';
import { imageContracts, type ImageContracts } from './contract/image-contracts.js';
import { importContracts, type ImportContracts } from './contract/import-contracts.js';
import type { FileLimits } from './files/parts.js';
import type { ImportLimits } from './imports/parts.js';
import type { Contracts } from './jobs/contracts.js';
import type { Windows } from './sweep/rules.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const mebibyte = 1024 * 1024;
// S3 signs for no longer.
const longestUrlLife = 7 * day;

/** The variables of ingest. Every one has a default or is named by a clear error when it is missing. */
export const variables = {
  LEASEHOLD_GRPC_HOST: str({ default: '127.0.0.1', desc: 'where ingest.v1 listens; without certificates a loopback address' }),
  LEASEHOLD_GRPC_PORT: port({ default: 7410 }),
  LEASEHOLD_HTTP_HOST: str({ default: '127.0.0.1', desc: 'where health, metrics and the HTTP edge listen' }),
  LEASEHOLD_HTTP_PORT: port({ default: 7411 }),
  ...tlsVariables,
  LEASEHOLD_STOP_TIMEOUT: durationMs({ default: 25 * second, min: second, desc: 'the longest time that a stop may take' }),

  LEASEHOLD_RECORDS_DATABASE_URL: url({ desc: 'the database `records`', example: 'postgresql://leasehold@127.0.0.1:7432/records' }),
  LEASEHOLD_DATABASE_CONNECTIONS: integer({ default: 12, min: 2, max: 100 }),
  LEASEHOLD_COORDINATORS: hostPorts({ desc: 'addresses of queue-coordinators, separated by commas', example: '127.0.0.1:7400,127.0.0.1:7402' }),
  LEASEHOLD_COORDINATOR_TIMEOUT: durationMs({ default: 5 * second, min: 100, desc: 'deadline of a call to the coordinator' }),
  LEASEHOLD_IMAGE_CONTRACTS: str({ default: imageContracts.versions.join(','), desc: 'versions of the contract of photos that are written and read, of those that this build knows' }),
  LEASEHOLD_IMPORT_CONTRACTS: str({ default: importContracts.versions.join(','), desc: 'as LEASEHOLD_IMAGE_CONTRACTS, of imports' }),
  LEASEHOLD_PROGRESS_TIMEOUT: durationMs({ default: 300, min: 10, desc: 'how long a read waits for the progress of a job before it answers without' }),

  LEASEHOLD_STORE: str({ desc: `where objects lie: ${storeForms}`, example: '.leasehold/objects' }),
  LEASEHOLD_STORE_DIR: str({ default: undefined, desc: 'the name of LEASEHOLD_STORE from when it could only be a directory' }),
  LEASEHOLD_S3_ACCESS_KEY_ID: str({ default: undefined, desc: 'needed where the store is an S3' }),
  LEASEHOLD_S3_SECRET_ACCESS_KEY: str({ default: undefined, desc: 'needed where the store is an S3' }),
  LEASEHOLD_SIGNING_SECRET: str({ desc: 'signs URLs and page tokens; at least 32 bytes; several, separated by commas: the first signs, all verify', example: '$(openssl rand -base64 32)' }),
  LEASEHOLD_PUBLIC_URL: url({ desc: 'how callers reach the HTTP edge; signed URLs begin with it', example: 'http://127.0.0.1:7411' }),

  LEASEHOLD_MAX_UPLOAD_BYTES: integer({ default: 64 * mebibyte, min: 1, max: 5 * 1024 * mebibyte }),
  LEASEHOLD_MAX_QUEUED_PER_NAMESPACE: integer({ default: 100_000, min: 1, desc: 'photos of one namespace that may be in the queue at once' }),
  ...callerLimitVariables,
  LEASEHOLD_SHIPMENT_MAX_BYTES: integer({ default: defaultLimits.maxBytes, min: 1, desc: 'largest shipment file; as at import-worker or smaller' }),
  LEASEHOLD_SHIPMENT_MAX_ROWS: integer({ default: defaultLimits.maxRows, min: 1, desc: 'most rows that validate_only takes; as at import-worker' }),
  LEASEHOLD_SHIPMENT_MAX_COLUMNS: integer({ default: defaultLimits.maxColumns, min: 2, max: 10_000, desc: 'most columns; as at import-worker' }),
  LEASEHOLD_SHIPMENT_MAX_FIELD_BYTES: integer({ default: defaultLimits.maxFieldBytes, min: 1, max: 16 * mebibyte, desc: 'longest field; as at import-worker' }),
  LEASEHOLD_SHIPMENT_RETENTION: durationMs({ default: 90 * day, min: second, desc: 'how long the file of an ended import is kept; until then it can be retried' }),
  LEASEHOLD_MAX_QUEUED_IMPORTS_PER_NAMESPACE: integer({ default: 10_000, min: 1, desc: 'imports of one namespace that may be ACCEPTED at once' }),
  LEASEHOLD_VALIDATE_AT_ONCE: integer({ default: 2, min: 1, max: 100, desc: 'files that validate_only looks at at once; others wait' }),
  LEASEHOLD_VALIDATE_MAX_SKUS: integer({ default: 500_000, min: 1, desc: 'different SKUs that validate_only takes, about 150 bytes of memory each' }),
  LEASEHOLD_ARCHIVE_AFTER: durationMs({ default: 90 * day, min: 1, desc: 'moves and row errors that are older go to the archive, from which they are still read' }),
  LEASEHOLD_ARCHIVE_EVERY: durationMs({ default: 5 * minute, min: 10 }),
  LEASEHOLD_REDIS_URL: str({ default: undefined, desc: 'where stock answers are cached; without it PostgreSQL answers all', example: 'redis://127.0.0.1:6379' }),
  LEASEHOLD_STOCK_CACHE_TIMEOUT: durationMs({ default: 50, min: 1, desc: 'a cache that takes longer is not waited for' }),
  LEASEHOLD_STOCK_CACHE_LIFE: durationMs({ default: 2 * minute, min: 1, desc: 'an answer is cached at most so long' }),
  LEASEHOLD_PENDING_LIFE: durationMs({ default: day, min: 1, desc: 'how long a card waits for ConfirmFile' }),
  LEASEHOLD_UPLOAD_URL_LIFE: durationMs({ default: 15 * minute, min: 1, max: longestUrlLife }),
  LEASEHOLD_DOWNLOAD_URL_LIFE: durationMs({ default: 15 * minute, min: 1, max: longestUrlLife }),

  LEASEHOLD_JOB_MAX_RUN: durationMs({ default: 10 * minute, desc: "max_run of the kind image, as in the coordinator's policy or longer" }),
  LEASEHOLD_JOB_LEASE: durationMs({ default: 2 * minute, desc: "lease time of the kind image, as in the coordinator's policy or longer" }),
  LEASEHOLD_STORE_TIMEOUT: durationMs({ default: 5 * minute, min: second, desc: 'the longest time that one write to the object store may take; uploads are cut off after it' }),

  LEASEHOLD_RELAY_EVERY: durationMs({ default: second, min: 10, desc: 'how often the relay looks when nothing wakes it' }),
  LEASEHOLD_HEAL_AFTER: durationMs({ default: 10 * minute, min: 1, desc: 'a card that was QUEUED, or an import that was ACCEPTED, for so long since it was last relayed is sent again' }),
  LEASEHOLD_HEAL_EVERY: durationMs({ default: 30 * second, min: 10 }),
  LEASEHOLD_EXPIRE_EVERY: durationMs({ default: 5 * second, min: 10 }),
  LEASEHOLD_SWEEP_EVERY: durationMs({ default: 30 * second, min: 10 }),
  LEASEHOLD_BUCKET_PASS_EVERY: durationMs({ default: 6 * hour, min: 10, desc: 'how often the whole bucket is looked at, over all instances' }),
  LEASEHOLD_OUTCOMES_WAIT: durationMs({ default: 20 * second, max: 30 * second, desc: 'how long a poll for outcomes waits at the coordinator' }),
  LEASEHOLD_WATCH_PROGRESS_EVERY: durationMs({ default: second, min: 10, desc: 'how often a watcher of a QUEUED card or an ACCEPTED import asks for progress' }),
  LEASEHOLD_WATCH_FLOOR: durationMs({ default: 5 * second, min: 10, desc: 'a watcher that is not woken looks at its card this often' }),
  LEASEHOLD_FIGURES_EVERY: durationMs({ default: 15 * second, min: 10 }),
};

const shortestSecretBytes = 32;

export interface IngestConfig {
  readonly grpc: { readonly host: string; readonly port: number };
  readonly http: { readonly host: string; readonly port: number; readonly publicUrl: string };
  /** Undefined: plaintext, on this machine only. */
  readonly tls: TlsFiles | undefined;
  readonly stopTimeoutMs: number;
  readonly database: { readonly url: string; readonly connections: number };
  readonly coordinator: { readonly addresses: readonly string[]; readonly timeoutMs: number; readonly progressTimeoutMs: number; readonly outcomesWaitMs: number };
  readonly contracts: { readonly image: ImageContracts; readonly import: ImportContracts };
  readonly store: { readonly settings: StoreSettings; readonly secrets: readonly string[]; readonly timeoutMs: number };
  readonly limits: FileLimits;
  readonly imports: ImportLimits & { readonly validateAtOnce: number; readonly validateMaxSkus: number };
  /** Undefined: stock is not cached. */
  readonly stockCache: { readonly url: string; readonly timeoutMs: number; readonly lifeMs: number } | undefined;
  readonly callers: CallerLimits;
  readonly windows: Windows;
  readonly duties: {
    readonly relayEveryMs: number;
    readonly healAfterMs: number;
    readonly healEveryMs: number;
    readonly expireEveryMs: number;
    readonly sweepEveryMs: number;
    readonly bucketPassEveryMs: number;
    readonly archiveAfterMs: number;
    readonly archiveEveryMs: number;
    readonly figuresEveryMs: number;
  };
}

/** @throws ConfigError that lists every variable that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv): IngestConfig {
  const v = parseConfig(variables, { ...env, LEASEHOLD_STORE: env['LEASEHOLD_STORE'] || env['LEASEHOLD_STORE_DIR'] });
  const store = storeSettings(v);
  if ('problems' in store) throw new ConfigError(store.problems);
  const secrets = v.LEASEHOLD_SIGNING_SECRET.split(',').map((secret) => secret.trim());
  if (secrets.some((secret) => Buffer.byteLength(secret) < shortestSecretBytes)) {
    throw new ConfigError([{ variable: 'LEASEHOLD_SIGNING_SECRET', problem: `must have at least ${shortestSecretBytes} bytes (each, if there are several, separated by commas)` }]);
  }
  const windows = windowsOf({
    maxRunMs: v.LEASEHOLD_JOB_MAX_RUN,
    leaseMs: v.LEASEHOLD_JOB_LEASE,
    longestUrlLifeMs: Math.max(v.LEASEHOLD_UPLOAD_URL_LIFE, v.LEASEHOLD_DOWNLOAD_URL_LIFE),
    storeTimeoutMs: v.LEASEHOLD_STORE_TIMEOUT,
  });
  return Object.freeze({
    grpc: { host: v.LEASEHOLD_GRPC_HOST, port: v.LEASEHOLD_GRPC_PORT },
    http: { host: v.LEASEHOLD_HTTP_HOST, port: v.LEASEHOLD_HTTP_PORT, publicUrl: v.LEASEHOLD_PUBLIC_URL },
    tls: tlsFilesOf(v),
    stopTimeoutMs: v.LEASEHOLD_STOP_TIMEOUT,
    database: { url: v.LEASEHOLD_RECORDS_DATABASE_URL, connections: v.LEASEHOLD_DATABASE_CONNECTIONS },
    coordinator: {
      addresses: v.LEASEHOLD_COORDINATORS,
      timeoutMs: v.LEASEHOLD_COORDINATOR_TIMEOUT,
      progressTimeoutMs: v.LEASEHOLD_PROGRESS_TIMEOUT,
      outcomesWaitMs: v.LEASEHOLD_OUTCOMES_WAIT,
    },
    contracts: {
      image: only(imageContracts, 'LEASEHOLD_IMAGE_CONTRACTS', v.LEASEHOLD_IMAGE_CONTRACTS),
      import: only(importContracts, 'LEASEHOLD_IMPORT_CONTRACTS', v.LEASEHOLD_IMPORT_CONTRACTS),
    },
    store: { settings: store.settings, secrets, timeoutMs: v.LEASEHOLD_STORE_TIMEOUT },
    limits: {
      maxUploadBytes: v.LEASEHOLD_MAX_UPLOAD_BYTES,
      maxQueued: v.LEASEHOLD_MAX_QUEUED_PER_NAMESPACE,
      pendingLifeMs: v.LEASEHOLD_PENDING_LIFE,
      uploadUrlLifeMs: v.LEASEHOLD_UPLOAD_URL_LIFE,
      downloadUrlLifeMs: v.LEASEHOLD_DOWNLOAD_URL_LIFE,
      uploadTimeoutMs: v.LEASEHOLD_STORE_TIMEOUT,
      uploadWindowMs: windows.uploadMs,
      writeWindowMs: windows.writeMs,
      watchProgressMs: v.LEASEHOLD_WATCH_PROGRESS_EVERY,
      watchFloorMs: v.LEASEHOLD_WATCH_FLOOR,
    },
    imports: {
      shipment: {
        maxBytes: v.LEASEHOLD_SHIPMENT_MAX_BYTES,
        maxRows: v.LEASEHOLD_SHIPMENT_MAX_ROWS,
        maxColumns: v.LEASEHOLD_SHIPMENT_MAX_COLUMNS,
        maxFieldBytes: v.LEASEHOLD_SHIPMENT_MAX_FIELD_BYTES,
        maxFaults: defaultLimits.maxFaults,
      },
      maxQueued: v.LEASEHOLD_MAX_QUEUED_IMPORTS_PER_NAMESPACE,
      submitTimeoutMs: v.LEASEHOLD_STORE_TIMEOUT,
      retentionMs: v.LEASEHOLD_SHIPMENT_RETENTION,
      watchProgressMs: v.LEASEHOLD_WATCH_PROGRESS_EVERY,
      validateAtOnce: v.LEASEHOLD_VALIDATE_AT_ONCE,
      validateMaxSkus: v.LEASEHOLD_VALIDATE_MAX_SKUS,
    },
    stockCache: v.LEASEHOLD_REDIS_URL === undefined ? undefined : { url: v.LEASEHOLD_REDIS_URL, timeoutMs: v.LEASEHOLD_STOCK_CACHE_TIMEOUT, lifeMs: v.LEASEHOLD_STOCK_CACHE_LIFE },
    windows,
    callers: callerLimitsOf(v),
    duties: {
      relayEveryMs: v.LEASEHOLD_RELAY_EVERY,
      healAfterMs: v.LEASEHOLD_HEAL_AFTER,
      healEveryMs: v.LEASEHOLD_HEAL_EVERY,
      expireEveryMs: v.LEASEHOLD_EXPIRE_EVERY,
      sweepEveryMs: v.LEASEHOLD_SWEEP_EVERY,
      bucketPassEveryMs: v.LEASEHOLD_BUCKET_PASS_EVERY,
      archiveAfterMs: v.LEASEHOLD_ARCHIVE_AFTER,
      archiveEveryMs: v.LEASEHOLD_ARCHIVE_EVERY,
      figuresEveryMs: v.LEASEHOLD_FIGURES_EVERY,
    },
  });
}

function only<C extends { readonly version: number }>(contracts: Contracts<C>, variable: string, text: string): Contracts<C> {
  try {
    return contracts.only(text.split(',').map((word) => Number(word.trim())));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError([{ variable, problem: `must be versions, separated by commas, of ${contracts.versions.join(', ')}` }]);
  }
}

/** How long after a right to write has ended bytes may still come in or be read; all in ms. */
export function windowsOf(o: { maxRunMs: number; leaseMs: number; longestUrlLifeMs: number; storeTimeoutMs: number }): Windows {
  const uploadMs = o.longestUrlLifeMs + o.storeTimeoutMs;
  return { uploadMs, writeMs: o.maxRunMs + o.leaseMs + uploadMs };
}
