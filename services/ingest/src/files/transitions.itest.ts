import { randomUUID } from 'node:crypto';
import type { File } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { Fault } from '@leasehold/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { World, type Running } from '../testbed/ingest.fixture.js';
import { causes, next, states, type Cause, type State } from './rules.js';

// The table in rules.ts and the conditions of the statements say the same thing twice: here one is held against the other.
let world: World;
let ingest: Running;
beforeAll(async () => {
  world = await World.make();
  ingest = await world.ingest();
});
afterAll(() => world.end());

const day = 25 * 60 * 60 * 1000;
const ends = { succeeded: JobState.SUCCEEDED, failed: JobState.FAILED, cancelled: JobState.CANCELLED } as const;

/** Makes the cause happen to the card as in life; what is refused changes nothing. */
async function cause(by: Cause, { file, versionId }: { file: File; versionId: string }): Promise<void> {
  const card = await ingest.get(file);
  switch (by) {
    case 'confirm':
      await refusable(ingest.confirm(file, versionId));
      return;
    case 'retry':
      await refusable(ingest.client.retryFile({ name: file.name, etag: card.etag }));
      return;
    case 'expire':
      await world.db.pool.query("update files set expire_time = now() - interval '1 second' where file_id = $1", [file.name.split('/')[3]]);
      await ingest.run('expiry');
      return;
    case 'delete':
      await ingest.client.deleteFile({ name: file.name });
      return;
    case 'swept':
      await ingest.run('cancels');
      await world.age(file, day);
      await ingest.run('sweep');
      return;
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      await outcome(ends[by], file, Math.max(card.generation, 1));
  }
}

/** An outcome of the present generation with a fence larger than any before. */
async function outcome(state: (typeof ends)[keyof typeof ends], file: File, generation: number): Promise<void> {
  await ingest.run('relay');
  const job = `namespaces/team-a/kinds/image/jobs/${file.name.split('/')[3]}.${generation}`;
  if (!world.coordinator.jobs.has(job)) world.coordinator.jobs.set(job, { ...template(), name: job });
  const fence = world.coordinator.grant(job);
  const result = state === JobState.SUCCEEDED ? await world.render(file.name, fence) : Buffer.alloc(0);
  world.coordinator.finish(job, { state, result, reason: 'CORRUPT' });
  await ingest.run('outcomes');
}

const template = (): NonNullable<ReturnType<typeof world.coordinator.jobs.get>> => {
  const [job] = world.coordinator.jobs.values();
  if (job === undefined) throw new Error('no job was ever enqueued');
  return { ...job };
};

async function refusable(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
}

const paths: Record<State, Cause[]> = {
  pending: [],
  queued: ['confirm'],
  ready: ['confirm', 'succeeded'],
  rejected: ['confirm', 'failed'],
  cancelled: ['confirm', 'cancelled'],
  expired: ['expire'],
  deleting: ['confirm', 'delete'],
  deleted: ['confirm', 'delete', 'swept'],
};

const stateOf = async (file: File): Promise<unknown> => (await world.row(file.name))['state'];

describe.each(states)('a card that is %s', (from) => {
  test.each(causes)('moves by %s as the table says', async (by) => {
    const file = await ingest.created(randomUUID());
    const subject = { file, versionId: (await ingest.upload(file)).versionId };
    // One job must exist before an outcome can be made up for a card that has none.
    if (world.coordinator.jobs.size === 0) await ingest.relayed();
    for (const step of paths[from]) await cause(step, subject);
    expect(await stateOf(file)).toBe(from);
    await cause(by, subject);
    expect(await stateOf(file)).toBe(next(from, by) ?? from);
  });
});
