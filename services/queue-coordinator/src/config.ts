import { callerLimitsOf, callerLimitVariables, type CallerLimits } from '@leasehold/rpc';
import { durationMs, integer, parseConfig, port, str, tlsFilesOf, tlsVariables, url, type TlsFiles } from '@leasehold/service';
import { bullmqSettingsOf, bullmqVariables } from './dispatch/bullmq/settings.js';
import type { BullmqSettings } from './dispatch/bullmq/assembly.js';
import { grantsForm, parseGrants, type Grant } from './access/producers.js';

/** The coordinator's settings, each from one environment variable. */
export interface CoordinatorConfig {
  readonly databaseUrl: string;
  readonly databaseConnections: number;
  readonly grpcHost: string;
  readonly grpcPort: number;
  readonly httpHost: string;
  readonly httpPort: number;
  /** Undefined: plaintext, on this machine only. */
  readonly tls: TlsFiles | undefined;
  readonly grants: readonly Grant[];
  readonly callers: CallerLimits;
  /** Undefined: no Redis, and PostgreSQL dispatches. */
  readonly bullmq: BullmqSettings | undefined;
  readonly workerSilenceMs: number;
  /** How long a producer counts in gates after it was last heard. */
  readonly producerMemoryMs: number;
  readonly stopTimeoutMs: number;
}

const databaseUrl = url({ desc: 'the PostgreSQL database of the queue', example: 'postgresql://user:password@127.0.0.1:5432/queue' });

/** @throws ConfigError that lists every wrong variable. */
export function readConfig(env: NodeJS.ProcessEnv): CoordinatorConfig {
  const read = parseConfig(
    {
      LEASEHOLD_QUEUE_DATABASE_URL: databaseUrl,
      LEASEHOLD_QUEUE_DATABASE_CONNECTIONS: integer({ default: 8, min: 3, max: 100 }),
      LEASEHOLD_GRPC_HOST: str({ default: '127.0.0.1' }),
      LEASEHOLD_GRPC_PORT: port({ default: 7400 }),
      LEASEHOLD_HTTP_HOST: str({ default: '127.0.0.1' }),
      LEASEHOLD_HTTP_PORT: port({ default: 7401 }),
      ...tlsVariables,
      ...callerLimitVariables,
      ...bullmqVariables,
      LEASEHOLD_PRODUCERS: str({ default: '*:image,import:*', desc: 'what each ingest may hand over, by its certificate', example: grantsForm }),
      // Longer than a long poll and than the renewal of a 2-minute lease, so that a healthy worker is never silent for that long.
      LEASEHOLD_WORKER_SILENCE: durationMs({ default: 90_000, min: 1_000 }),
      // Longer than a producer takes to restart: one that is away for a moment will read results again.
      LEASEHOLD_PRODUCER_MEMORY: durationMs({ default: 120_000, min: 1_000 }),
      LEASEHOLD_STOP_TIMEOUT: durationMs({ default: 25_000, min: 1_000 }),
    },
    env,
  );
  return Object.freeze({
    databaseUrl: read.LEASEHOLD_QUEUE_DATABASE_URL,
    databaseConnections: read.LEASEHOLD_QUEUE_DATABASE_CONNECTIONS,
    grpcHost: read.LEASEHOLD_GRPC_HOST,
    grpcPort: read.LEASEHOLD_GRPC_PORT,
    httpHost: read.LEASEHOLD_HTTP_HOST,
    httpPort: read.LEASEHOLD_HTTP_PORT,
    tls: tlsFilesOf(read),
    grants: parseGrants('LEASEHOLD_PRODUCERS', read.LEASEHOLD_PRODUCERS),
    callers: callerLimitsOf(read),
    bullmq: bullmqSettingsOf(read),
    workerSilenceMs: read.LEASEHOLD_WORKER_SILENCE,
    producerMemoryMs: read.LEASEHOLD_PRODUCER_MEMORY,
    stopTimeoutMs: read.LEASEHOLD_STOP_TIMEOUT,
  });
}

/** The database alone, for the migrate command. */
export const readDatabaseUrl = (env: NodeJS.ProcessEnv): string => parseConfig({ LEASEHOLD_QUEUE_DATABASE_URL: databaseUrl }, env).LEASEHOLD_QUEUE_DATABASE_URL;
