import { ConfigError, durationMs, hostPorts, port, str, tlsFilesOf, tlsVariables, type Config, type TlsFiles } from '@leasehold/service';
import { versionsToDeclare } from './declared-contracts.js';

/** What every worker process is told, whatever its kind. */
export interface WorkerSettings {
  /** host:port of every coordinator; at least one. */
  readonly coordinators: readonly string[];
  /** Versions of its kind's contract to declare; undefined: all that the build reads. */
  readonly contracts: readonly number[] | undefined;
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

/** The variables behind WorkerSettings, for the `parseConfig` of a worker. */
export const workerVariables = (defaults: { readonly httpPort: number; readonly drainTimeoutMs: number }) => ({
  LEASEHOLD_COORDINATORS: hostPorts({ desc: 'where the coordinators listen', example: '127.0.0.1:7400,127.0.0.1:7402' }),
  LEASEHOLD_CONTRACTS: str({ default: undefined, desc: 'versions of its contract that the worker declares and takes, of those that it reads; all when not set', example: '1,2' }),
  LEASEHOLD_LEASE_MARGIN: durationMs({ min: 100, default: 2_000, desc: 'how long before its end a lease is not trusted any more' }),
  LEASEHOLD_DRAIN_TIMEOUT: durationMs({ default: defaults.drainTimeoutMs, desc: 'how long running jobs may go on once a stop was asked for' }),
  LEASEHOLD_STOP_TIMEOUT: durationMs({ min: 1_000, default: defaults.drainTimeoutMs + 2 * STOP_BEYOND_DRAIN_MS, desc: 'longest time for a stop' }),
  ...tlsVariables,
  LEASEHOLD_HTTP_HOST: str({ default: '127.0.0.1' }),
  LEASEHOLD_HTTP_PORT: port({ default: defaults.httpPort }),
});

/** @throws ConfigError for a stop that would cut running jobs off, and for certificates that are named by halves */
export function workerSettings(read: Config<ReturnType<typeof workerVariables>>): WorkerSettings {
  const leastStopMs = read.LEASEHOLD_DRAIN_TIMEOUT + STOP_BEYOND_DRAIN_MS;
  if (read.LEASEHOLD_STOP_TIMEOUT < leastStopMs) {
    throw new ConfigError([{ variable: 'LEASEHOLD_STOP_TIMEOUT', problem: `must be at least ${leastStopMs}ms, ${STOP_BEYOND_DRAIN_MS}ms above LEASEHOLD_DRAIN_TIMEOUT` }]);
  }
  return Object.freeze({
    coordinators: read.LEASEHOLD_COORDINATORS,
    contracts: versionsToDeclare(read.LEASEHOLD_CONTRACTS),
    leaseMarginMs: read.LEASEHOLD_LEASE_MARGIN,
    drainTimeoutMs: read.LEASEHOLD_DRAIN_TIMEOUT,
    stopTimeoutMs: read.LEASEHOLD_STOP_TIMEOUT,
    tls: tlsFilesOf(read),
    http: Object.freeze({ host: read.LEASEHOLD_HTTP_HOST, port: read.LEASEHOLD_HTTP_PORT }),
  });
}
