import type { File } from '@leasehold/client';
import type { Pool } from 'pg';

/** A job as the coordinator has it on record, live or finished. int8 columns are text, as pg gives them. */
export interface JobRecord {
  readonly job_id: string;
  readonly enqueue_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly reason: string;
  readonly last_reason: string;
  readonly fence: string;
}

/** An entry of the coordinator's journal of exceptional events. */
export interface JobEvent {
  readonly event: string;
  readonly at: Date;
  readonly job_id: string;
  readonly fence: string;
  readonly current_fence: string;
  readonly worker_id: string;
  readonly detail: string;
}

/** The job of a card's present generation. */
export const jobIdOf = (card: Pick<File, 'name' | 'generation'>): string => `${card.name.split('/')[3]}.${card.generation}`;

export async function jobRecord(queue: Pool, card: Pick<File, 'name' | 'generation'>): Promise<JobRecord> {
  const { rows } = await queue.query<JobRecord>('select job_id, enqueue_id, state, attempts, reason, last_reason, fence from job_records where job_id = $1', [jobIdOf(card)]);
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`${jobIdOf(card)} has ${rows.length} records`);
  return row;
}

export async function journalOf(queue: Pool, card: Pick<File, 'name' | 'generation'>): Promise<JobEvent[]> {
  const { rows } = await queue.query<JobEvent>('select event, at, job_id, fence, current_fence, worker_id, detail from job_events where job_id = $1 order by event_id', [jobIdOf(card)]);
  return rows;
}
