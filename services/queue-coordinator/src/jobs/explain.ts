import { sql, type Database } from '@leasehold/postgres';
import { contractWord } from '../contracts/contract.js';
import { readFacts } from '../contracts/facts.js';
import { findJobs } from './find.js';
import { isFinal, type Job } from './job.js';
import { renderJobName, type JobName } from './job-name.js';
import { whyWaiting, type LiveFacts, type Obstacle } from './why-waiting.js';

const eventsSql = sql(import.meta.url, 'events');
const explainLiveSql = sql(import.meta.url, 'explain-live');
const maxEvents = 500;

/** Something that happened to a job. */
export interface JobEvent {
  readonly at: Date;
  readonly event: string;
  readonly enqueueId: bigint;
  readonly fence: bigint;
  readonly currentFence: bigint;
  readonly workerId: string;
  readonly detail: string;
}

export interface Explanation {
  /** Undefined when only events are left of it. */
  readonly job: Job | undefined;
  readonly events: readonly JobEvent[];
  readonly waitingFor: readonly Obstacle[];
}

/** One job's timeline, and why nobody runs it right now. Undefined when nothing at all is known. */
export async function explainJob(parts: { readonly db: Database; readonly producerMemoryMs: number; readonly uncertainAfterMs: number }, name: JobName): Promise<Explanation | undefined> {
  const { db } = parts;
  const place = [name.namespace, name.kind, name.jobId];
  const job = (await findJobs(db, [name])).get(renderJobName(name));
  const rows = await db.query<{ at: Date; event: string; enqueue_id: bigint; fence: bigint; current_fence: bigint; worker_id: string; detail: string }>(eventsSql, [...place, maxEvents]);
  if (job === undefined && rows.length === 0) return undefined;
  const told = rows.map((row): JobEvent => ({
    at: row.at, event: row.event, enqueueId: row.enqueue_id, fence: row.fence, currentFence: row.current_fence, workerId: row.worker_id, detail: row.detail,
  }));
  const [live] = await db.query<{ excluded_builds: string[]; due_in_ms: number; undispatched: boolean; granted_at: Date | null }>(explainLiveSql, place);
  const events = [...told, ...(job === undefined ? [] : recorded(job, live?.granted_at ?? undefined))].toSorted((a, b) => a.at.getTime() - b.at.getTime());
  if (job?.state !== 'queued' || live === undefined) return { job, events, waitingFor: [] };
  const [facts] = await readFacts(db, [name.kind], parts.producerMemoryMs);
  const own: LiveFacts = { version: job.contractVersion, excludedBuilds: live.excluded_builds, dueInMs: live.due_in_ms, undispatched: live.undispatched };
  return { job, events, waitingFor: facts === undefined ? [] : whyWaiting(own, facts, parts) };
}

/** What the record itself tells; the journal holds only what was out of the ordinary. */
function recorded(job: Job, grantedAt: Date | undefined): JobEvent[] {
  const of = { enqueueId: job.enqueueId, currentFence: 0n, workerId: job.workerId };
  const events: JobEvent[] = [{ ...of, at: job.enqueuedAt, event: 'job_enqueued', fence: 0n, workerId: '', detail: contractWord({ kind: job.name.kind, version: job.contractVersion }) }];
  if (isFinal(job.state) && job.finishedAt !== undefined) {
    const by = job.build === '' ? '' : ` by ${job.build}`;
    events.push({ ...of, at: job.finishedAt, event: 'job_finished', fence: job.fence, detail: `${job.state}${job.reason === '' ? '' : ` ${job.reason}`}${by}, attempt ${job.attempt}` });
  }
  if (job.state === 'leased' && grantedAt !== undefined) events.push({ ...of, at: grantedAt, event: 'lease_granted', fence: job.fence, detail: `${job.build}, attempt ${job.attempt} of ${job.maxAttempts}` });
  return events;
}
