import { setTimeout as wait } from 'node:timers/promises';
import { Fault, type FilesClient } from '@leasehold/client';
import { status } from '@leasehold/rpc';
import type { Due } from '../checks/books.js';
import { once } from '../photos/hand-over.js';
import { photoOf, truncatedPhotoOf } from '../photos/photo.js';
import type { PlannedPhoto } from './plan.js';

const away: readonly number[] = [status.UNAVAILABLE, status.DEADLINE_EXCEEDED];
const repeatEveryMs = 200;
const patienceMs = 120_000;

/** Repeats a call while nobody answers it. Any other failure is one of the system's: a caller has done nothing wrong. */
async function answered<T>(call: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Fault) || !away.includes(error.code) || performance.now() - startedAt > patienceMs) throw error;
      await wait(repeatEveryMs);
    }
  }
}

/** A service team's part: hands one photo over, and deletes it where the plan says so, however often it has to ask. Answers the card's name and its due. */
export async function handOverAsPlanned(files: FilesClient, fileId: string, plan: PlannedPhoto, size: { width: number; height: number }): Promise<[name: string, due: Due]> {
  await wait(plan.atMs);
  const photo = await photoOf(plan.number, size.width, size.height);
  const bytes = plan.ends === 'truncated' ? await truncatedPhotoOf(plan.number) : photo.bytes;
  const { file } = await answered(() => files.create({ fileId, options: { effort: 1 } }));
  const version = await answered(() => files.upload(file.name, () => once(bytes)));
  await answered(() => files.confirm(file.name, version));
  if (plan.ends === 'deleted') {
    await wait(plan.deletedAfterMs);
    await answered(() => files.delete(file.name));
  }
  return [file.name, plan.ends === 'ready' ? { ends: 'ready', photo } : { ends: plan.ends }];
}
