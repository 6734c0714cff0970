import { SettlementVerdict, type Lease } from '@leasehold/lease-v1';
import { JobState } from '@leasehold/queue-v1';
import { leftOut } from '@leasehold/test-stack';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { BullmqUnderTest } from '../../testing/bullmq-under-test.js';
import { enqueueImport, getImport, importer, take } from '../../testing/imports-under-test.js';
import { complete, failTechnical, only, type CoordinatorUnderTest, type WorkerUnderTest } from '../../testing/queue-under-test.js';
import type { Step } from './failpoint.js';

const soon = { timeout: 15_000 };

describe.skipIf(leftOut('redis'))('a step that is lost', { timeout: 60_000 }, () => {
  let under: BullmqUnderTest;
  let one: CoordinatorUnderTest;
  /** How often each step is still to be lost. */
  const losing = new Map<Step, number>();
  const lost: Step[] = [];
  beforeAll(async () => {
    under = await BullmqUnderTest.open();
    one = await under.coordinator({
      failpoint: (step) => {
        const left = losing.get(step) ?? 0;
        if (left === 0) return;
        losing.set(step, left - 1);
        lost.push(step);
        throw new Error(`lost at ${step}`);
      },
    });
    await under.ready(one);
  });
  beforeEach(async () => {
    losing.clear();
    lost.length = 0;
    await under.queue.reset();
    await under.client.flushall();
    await under.ready(one);
  });
  afterAll(() => under.close());

  /** An acquire may fail with its coordinator; the worker then repeats it, as workers do. */
  async function takeSomehow(worker: WorkerUnderTest): Promise<Lease> {
    for (let call = 0; call < 5; call++) {
      const leases = await take(worker, one).catch(() => []);
      if (leases[0] !== undefined) return leases[0];
    }
    throw new Error('nothing was leased');
  }

  test.each<{ step: Step; times: number; what: string }>([
    { step: 'added', times: 1, what: 'the relay ends after it gave the job to BullMQ and before it noted so' },
    { step: 'popped', times: 1, what: 'the coordinator ends after it took a proposal and before the grant' },
    { step: 'granted', times: 1, what: 'the coordinator ends after the grant and before its answer' },
    { step: 'holding', times: 1, what: 'the record is not held for the length of the run' },
    { step: 'moving', times: 1, what: 'BullMQ does not hear that the job is to be retried' },
    { step: 'moving', times: 2, what: 'BullMQ hears neither of the retry nor of the end' },
    { step: 'reconciling', times: 1, what: 'the reconciler ends in the middle' },
  ])('at $step: $what: the job is tried twice and ends once', async ({ step, times }) => {
    losing.set(step, times);
    await enqueueImport(one, 'a');
    const worker = await importer(one);
    const first = await takeSomehow(worker);
    expect(first.attempt).toBe(1);
    await worker.settle(one, failTechnical(first));
    const second = await takeSomehow(worker);
    expect(second).toMatchObject({ jobId: 'a', attempt: 2, enqueueId: first.enqueueId });
    expect(only((await worker.settle(one, complete(second))).results).verdict).toBe(SettlementVerdict.SETTLED);
    expect(await getImport(one, 'a')).toMatchObject({ state: JobState.SUCCEEDED, attempt: 2 });
    if (step !== 'reconciling') expect(lost).toEqual(Array.from({ length: times }, () => step));
    // Whatever was lost, BullMQ is left with no unfinished record.
    await expect.poll(() => under.records.getJobCounts('wait', 'prioritized', 'delayed', 'active'), soon).toEqual({ wait: 0, prioritized: 0, delayed: 0, active: 0 });
  });

  test('of a retry costs at most 5 s beyond the due time', async () => {
    losing.set('moving', 1);
    await enqueueImport(one, 'a');
    const worker = await importer(one);
    await worker.settle(one, failTechnical(await takeSomehow(worker)));
    await takeSomehow(worker);
    const { rows } = await under.queue.sql.query("select granted_at - available_at < interval '5 seconds' as in_time from jobs");
    expect(rows).toEqual([{ in_time: true }]);
  });

  test('after a refused grant: the record of a live job is not completed, that of an ended one is', async () => {
    const cancelled = await enqueueImport(one, 'cancelled');
    const later = await enqueueImport(one, 'later');
    await under.dispatched();
    const readded = (): Promise<number> => under.metric(one, 'leasehold_dispatcher_proposals_total{kind="import",version="1",event="readded"');
    const readdedBefore = await readded();
    // Neither is told to BullMQ: it goes on proposing both.
    losing.set('moving', 1);
    await one.queue.cancelJob({ name: cancelled.name, enqueueId: cancelled.enqueueId });
    await under.queue.sql.query("update jobs set available_at = now() + interval '3 seconds' where job_id = 'later'");
    const worker = await importer(one);
    expect((await takeSomehow(worker)).jobId).toBe('later');
    expect((await under.queue.sql.query('select granted_at >= available_at as due from jobs')).rows).toEqual([{ due: true }]);
    const stateOf = async (enqueueId: bigint): Promise<string> => (await under.records.getJob(`e${enqueueId}`))?.getState() ?? 'gone';
    expect(await stateOf(later.enqueueId)).not.toBe('completed');
    // Or purged, when the coordinator was too slow for the lock of the pop.
    await expect.poll(() => stateOf(cancelled.enqueueId), soon).toMatch(/^(completed|gone)$/);
    expect(await readded()).toBe(readdedBefore);
  });
});
