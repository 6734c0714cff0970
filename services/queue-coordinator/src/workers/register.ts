import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Move } from '../dispatch/dispatcher.js';

const registerSql = sql(import.meta.url, 'register');
const surveySql = sql(import.meta.url, 'survey');
const deregisterSql = sql(import.meta.url, 'deregister');

export interface ContractRef {
  readonly kind: string;
  readonly version: number;
}

export interface Registration {
  readonly workerId: string;
  readonly build: string;
  readonly concurrency: number;
  readonly contracts: readonly ContractRef[];
  /** Of whoever registers. */
  readonly identity: string;
}

export interface KindPolicy {
  readonly kind: string;
  readonly leaseMs: number;
  readonly maxRunMs: number;
  readonly maxAttempts: number;
}

export interface Survey {
  readonly policies: readonly KindPolicy[];
  readonly unread: readonly ContractRef[];
  readonly suspended: readonly ContractRef[];
}

interface SurveyRow {
  readonly tag: 'policy' | 'unread' | 'suspended';
  readonly kind: string;
  readonly version: number;
  readonly lease_ms: number;
  readonly max_run_ms: number;
  readonly max_attempts: number;
}

/** Records a worker and tells it what it must know. Undefined when this worker id was judged gone, or is somebody else's: it is not to be used again. */
export async function registerWorker(db: Database, logger: Logger, registration: Registration): Promise<Survey | undefined> {
  const { workerId, build, concurrency, contracts, identity } = registration;
  const kinds = contracts.map((c) => c.kind);
  const versions = contracts.map((c) => c.version);
  const [worker] = await db.query<{ state: string }>(registerSql, [workerId, build, concurrency, kinds, versions, identity]);
  if (worker === undefined || worker.state === 'gone') return undefined;
  const rows = await db.query<SurveyRow>(surveySql, [build, kinds, versions]);
  const of = (tag: SurveyRow['tag']): ContractRef[] => rows.filter((row) => row.tag === tag).map(({ kind, version }) => ({ kind, version }));
  const survey = {
    policies: rows.filter((row) => row.tag === 'policy').map((row) => ({ kind: row.kind, leaseMs: row.lease_ms, maxRunMs: row.max_run_ms, maxAttempts: row.max_attempts })),
    unread: of('unread'),
    suspended: of('suspended'),
  };
  logger.info(
    { event: 'worker_registered', worker_id: workerId, identity, build, contracts: contracts.map((c) => `${c.kind}@${c.version}`), unread: survey.unread.map((c) => `${c.kind}@${c.version}`) },
    'a worker registered',
  );
  return survey;
}

/** A worker leaves; what it held goes back. Answers what was released. */
export async function deregisterWorker(db: Database, logger: Logger, workerId: string): Promise<readonly Move[]> {
  const rows = await db.query<{ kind: string; contract_version: number; enqueue_id: bigint; lease_token: Buffer }>(deregisterSql, [workerId]);
  logger.info({ event: 'worker_left', worker_id: workerId, released: rows.length }, 'a worker left');
  return rows.map((row) => ({ kind: row.kind, contractVersion: row.contract_version, enqueueId: row.enqueue_id, token: row.lease_token, to: { state: 'queued', delayMs: 0 } }));
}
