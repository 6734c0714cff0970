import type { JobView } from '../coordinator/coordinator.js';
import { jobName } from '../jobs/job-name.js';
import type { Card } from './card.js';
import type { FileParts } from './parts.js';
import { imageKind } from './resource-name.js';

/** A card as its owner sees it: for a QUEUED one with how far its job has come, when the coordinator says so. */
export interface ShownCard {
  readonly card: Card;
  readonly job: JobView | undefined;
}

/** A worker holds the lease right now. Shown, never stored. */
export const isProcessing = ({ card, job }: ShownCard): boolean => card.state === 'queued' && job?.leased === true;

/** Asks the coordinator for a QUEUED card's job; never fails, as there may just be nothing to show. */
export async function shown(card: Card, { jobs }: Pick<FileParts, 'jobs'>): Promise<ShownCard> {
  if (card.state !== 'queued' || card.jobId === undefined) return { card, job: undefined };
  return { card, job: await jobs.view(jobName(imageKind, card.namespace, card.jobId)) };
}
