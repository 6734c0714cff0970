import { FileState, RejectionReason, type File } from '@leasehold/client';
import pMap from 'p-map';
import type { Fleet } from '../fleet/fleet.js';
import { downloaded } from '../photos/hand-over.js';
import { sha256, shows, type Photo } from '../photos/photo.js';
import { jobRecord } from './records.js';

/** What must have become of a card once everything has come to rest. */
export type Due =
  | { readonly ends: 'ready'; readonly photo: Photo }
  | { readonly ends: 'truncated' }
  | { readonly ends: 'deleted' };

/** What is still under way. All 0: nothing moves any more unless somebody asks for it. */
export interface UnderWay {
  readonly jobs: number;
  readonly outcomes: number;
  readonly cards: number;
  readonly cancels: number;
  /** Runs that have not returned, also those whose lease is lost: they may still store bytes. */
  readonly runs: number;
}

export async function underWay(fleet: Fleet): Promise<UnderWay> {
  const { queue, records } = fleet;
  const { rows: [inQueue] } = await queue.query<{ jobs: number; outcomes: number }>('select (select count(*) from jobs)::int as jobs, (select count(*) from outcomes)::int as outcomes');
  const { rows: [inRecords] } = await records.query<{ cards: number; cancels: number }>(
    "select count(*) filter (where state = 'queued')::int as cards, count(*) filter (where cancel_due is not null)::int as cancels from files",
  );
  if (inQueue === undefined || inRecords === undefined) throw new Error('a count has no row');
  return { ...inQueue, ...inRecords, runs: await fleet.figure('leasehold_worker_jobs_running') };
}

export const nothing: UnderWay = Object.freeze({ jobs: 0, outcomes: 0, cards: 0, cancels: 0, runs: 0 });

/** What does not hold of these cards (by name) and their jobs once nothing is under way, a sentence each. */
export async function violations(fleet: Fleet, due: ReadonlyMap<string, Due>): Promise<string[]> {
  const perCard = await pMap(due, async ([name, what]) => (await violationsOf(fleet, await fleet.files.get(name), what)).map((why) => `${name}: ${why}`), { concurrency: 4 });
  return perCard.flat();
}

const wordOf = ({ state }: File): string => Object.entries(FileState).find(([, value]) => value === state)?.[0] ?? String(state);

async function violationsOf(fleet: Fleet, card: File, due: Due): Promise<string[]> {
  switch (due.ends) {
    case 'ready':
      return card.state === FileState.READY ? notOfficial(fleet, card, due.photo) : [`is ${wordOf(card)}, ${JSON.stringify(card.rejection)}, instead of READY`];
    case 'truncated': {
      if (card.state !== FileState.REJECTED || card.rejection?.reason !== RejectionReason.TRUNCATED) return [`is ${wordOf(card)}, ${JSON.stringify(card.rejection)}, instead of TRUNCATED`];
      const { state, reason } = await jobRecord(fleet.queue, card);
      return state === 'failed' && reason === 'TRUNCATED' ? [] : [`its job is ${state} ${reason}`];
    }
    case 'deleted':
      return card.state === FileState.DELETING || card.state === FileState.DELETED ? [] : [`is ${wordOf(card)} although it was deleted`];
  }
}

/** One official rendition, which is what the card says, of this photo, made by the attempt whose settlement counted. */
async function notOfficial(fleet: Fleet, card: File, photo: Photo): Promise<string[]> {
  const { rendition } = card;
  if (rendition === undefined) return ['is READY without a rendition'];
  const bytes = await downloaded(fleet.files, card);
  const stored = await fleet.store.head(rendition.key, rendition.versionId);
  const job = await jobRecord(fleet.queue, card);
  const wrong: string[] = [];
  if (!sha256(bytes).equals(rendition.sha256) || BigInt(bytes.length) !== rendition.sizeBytes) wrong.push('serves other bytes than its card says');
  if (stored.sha256?.equals(rendition.sha256) !== true) wrong.push('the store has other bytes than its card says');
  if (!(await shows(photo, bytes))) wrong.push('shows another photo');
  if (rendition.key.split('/')[3] !== String(rendition.fence)) wrong.push(`lies under ${rendition.key}, not under its fence ${rendition.fence}`);
  if (job.state !== 'succeeded' || job.fence !== String(rendition.fence)) wrong.push(`its job is ${job.state} under fence ${job.fence}, the rendition's is ${rendition.fence}`);
  if (job.attempts < 1 || job.attempts > 3) wrong.push(`its job took ${job.attempts} attempts`);
  return wrong;
}
