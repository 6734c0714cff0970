import { setTimeout as wait } from 'node:timers/promises';
import { FileState, type File } from '@leasehold/client';
import { JobState, QueueServiceService, type Job } from '@leasehold/queue-v1';
import { createClient, durationOfMs } from '@leasehold/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databasesOfTheRun } from '../fleet/databases.js';
import { Fleet } from '../fleet/fleet.js';
import { handOver } from '../photos/hand-over.js';
import { photoOf, sha256 } from '../photos/photo.js';

// Two coordinators and two ingests, restarted one after the other under load.

const callsPerSecond = 50;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.prepare({ databases: await databasesOfTheRun(), coordinators: 2, ingests: 2 });
  await fleet.start();
  await fleet.worker().start();
}, 60_000);
afterAll(() => fleet.end());

/** Begins so many calls a second, whether earlier ones were answered or not, until it is stopped; answers what failed. */
function load(perSecond: number, call: (number: number) => Promise<unknown>): { readonly stop: () => Promise<{ begun: number; failed: unknown[] }> } {
  const failed: unknown[] = [];
  const underWay: Promise<unknown>[] = [];
  let rolling = true;
  const startedAt = performance.now();
  const calling = (async () => {
    while (rolling) {
      // What a busy machine kept from starting is made up for.
      for (const due = ((performance.now() - startedAt) * perSecond) / 1_000; underWay.length < due;) underWay.push(call(underWay.length).catch((error: unknown) => failed.push(error)));
      await wait(1_000 / perSecond);
    }
  })();
  return {
    stop: async () => {
      rolling = false;
      await calling;
      await Promise.all(underWay);
      return { begun: underWay.length, failed };
    },
  };
}

test('under 50 unary calls a second no call fails, and each watch goes on to its end without an event lost', async () => {
  const client = createClient(QueueServiceService, fleet.coordinatorAddresses, { idempotent: ['enqueueJobs', 'getJob', 'cancelJob'] });
  const name = (number: number): string => `namespaces/calls/kinds/image/jobs/${number}`;
  // Due long after the test: no worker takes it.
  const spec = (number: number) => ({ name: name(number), contractVersion: 1, payload: Buffer.alloc(0), contentDigest: sha256(Buffer.from(String(number))), priority: 0, delay: durationOfMs(3_600_000) });
  const kinds: ((number: number) => Promise<unknown>)[] = [
    (number) => client.enqueueJobs({ jobs: [spec(number)] }),
    (number) => client.enqueueJobs({ jobs: [spec(number)] }).then(() => client.getJob({ name: name(number) })),
    (number) => client.cancelJob({ name: name(number), enqueueId: 0n }),
    (number) => fleet.files.create({ fileId: `call-${number}`, options: { effort: 1 } }),
    async () => { for await (const _ of fleet.files.list({ pageSize: 1, states: [FileState.EXPIRED] })); },
  ];
  const calls = load(callsPerSecond, (number) => kinds[number % kinds.length]?.(number) ?? Promise.resolve());

  /** What each watcher of a photo was shown, its reconnects hidden by the client. */
  const shown: Promise<File[]>[] = [];
  const photos = (async () => {
    for (let number = 0; number < 8; number++) {
      const card = await handOver(fleet.files, (await photoOf(number)).bytes);
      shown.push((async () => {
        const cards: File[] = [];
        for await (const file of fleet.files.watch(card.name, { signal: AbortSignal.timeout(90_000) })) cards.push(file);
        return cards;
      })());
      await wait(150);
    }
  })();
  /** A watch of the queue has no client that hides its breaks: whoever watches opens it again. */
  const watched = watchUntilFinal(client, name(0));

  for (const member of [...fleet.coordinators, ...fleet.ingests]) {
    expect(await member.stop()).toEqual({ code: 0, signal: null });
    await member.start();
  }
  await photos;
  const { begun, failed } = await calls.stop();
  expect(failed).toEqual([]);
  expect(begun).toBeGreaterThan(100);

  for (const cards of await Promise.all(shown)) {
    const stored = cards.map(({ state }) => (state === FileState.PROCESSING ? FileState.QUEUED : state));
    // Each stored state once and in order. PROCESSING is what the coordinator adds to QUEUED, and comes and goes with it.
    expect(stored.filter((state, i) => state !== stored[i - 1])).toEqual([FileState.QUEUED, FileState.READY]);
    const revisions = cards.map(({ etag }) => Number(etag.split('-r')[1]));
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  }
  await client.enqueueJobs({ jobs: [spec(0)] });
  await client.cancelJob({ name: name(0), enqueueId: 0n });
  const { seen, opened } = await watched;
  expect(opened).toBeGreaterThan(1);
  expect(seen.at(-1)?.state).toBe(JobState.CANCELLED);
  expect(seen.map(({ fence }) => fence)).toEqual(seen.map(({ fence }) => fence).toSorted((a, b) => Number(a - b)));
  client.close();
  expect(fleet.members.flatMap((member) => member.fell)).toEqual([]);
}, 120_000);

async function watchUntilFinal(client: ReturnType<typeof createClient<typeof QueueServiceService>>, name: string): Promise<{ seen: Job[]; opened: number }> {
  const seen: Job[] = [];
  for (let opened = 1; ; opened++) {
    try {
      for await (const { job } of client.watchJob({ name })) if (job !== undefined) seen.push(job);
    } catch {
      // Away for a moment.
    }
    if (seen.at(-1)?.state === JobState.CANCELLED) return { seen, opened };
    await wait(50);
  }
}
