import { createLogger, ManualClock } from '@leasehold/service';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { WorkerMetrics } from '../metrics.js';
import type { RunningJob } from '../run/job-handler.js';
import { LeaseLost } from '../run/run-aborted.js';
import { SettleOutbox } from '../settle/outbox.js';
import { fence, lease } from '../testing/leases.fixture.js';
import type { GrantedLease } from './granted-lease.js';
import { LeaseDesk } from './lease-desk.js';

function desk(concurrency = 1) {
  const clock = new ManualClock();
  const outbox = new SettleOutbox();
  const runs: { job: RunningJob<string>; finish: () => void }[] = [];
  const opened = new LeaseDesk<string, Uint8Array>({
    handler: {
      kind: 'image',
      contracts: new Map([[1, { decode: (payload) => Buffer.from(payload).toString() }]]),
      run: (job) => new Promise((resolve) => runs.push({ job, finish: () => resolve(Buffer.from('result')) })),
    },
    concurrency, prefetch: 2, marginMs: 100, stuckAfterMs: 1000, needs: () => ({ trustMs: 100, runMs: 100 }), outbox, clock,
    logger: createLogger({ service: 'tested', level: 'silent' }), metrics: new WorkerMetrics(new Registry(), 'image'), onChange: () => undefined,
  });
  const grant = (...leases: GrantedLease[]) => opened.receive(leases.map((l) => ({ lease: l, ttlMs: 1200, grantedAfterMs: 0, runLeftMs: 6000 })), clock.now());
  const sent = () => outbox.take(clock.now())?.settlements.map((s) => [s.fence, s.content.verb]);
  return { clock, desk: opened, runs, grant, sent };
}

test('a heartbeat that crossed with the settlement of its lease takes nothing back', async () => {
  const { clock, desk: d, runs, grant, sent } = desk();
  grant(lease(7));
  runs[0]?.finish();
  await clock.advance(0);
  expect(sent()).toEqual([[fence(7), 'complete']]);
  d.voided(fence(7), new LeaseLost());
  expect(d.heldFences()).toEqual([fence(7)]);
  d.settled({ fence: fence(7), enqueueId: 7n, token: Buffer.from(''), content: { verb: 'complete', result: Buffer.from('result') } }, { verdict: 'settled' });
  expect(d.heldFences()).toEqual([]);
});

test('a job that is granted again to the same worker ends the earlier run, and settles only the later one', async () => {
  const { clock, desk: d, runs, grant, sent } = desk(2);
  grant(lease(7));
  grant(lease(9, { enqueueId: 7n }));
  expect(runs[0]?.job.signal.reason).toBeInstanceOf(LeaseLost);
  expect(d.heldFences()).toEqual([fence(9)]);
  for (const run of runs) run.finish();
  await clock.advance(0);
  expect(sent()).toEqual([[fence(9), 'complete']]);
});

test('a lease that has become too short while it waited for its slot is not started', async () => {
  const { clock, runs, grant, sent } = desk();
  grant(lease(7), lease(8));
  await clock.advance(1050);
  runs[0]?.finish();
  await clock.advance(0);
  expect(runs).toHaveLength(1);
  expect(sent()).toEqual([[fence(7), 'complete'], [fence(8), 'release']]);
});

test('a result is not completed after trust has ended, however late the timer', async () => {
  const { clock, runs, grant, sent } = desk();
  grant(lease(7));
  // No loop watches the clock here: as after a pause of the whole process.
  await clock.advance(1100);
  expect(runs[0]?.job.signal.aborted).toBe(false);
  runs[0]?.finish();
  await clock.advance(0);
  expect(sent()).toEqual([[fence(7), 'fail']]);
});

test('a desk that is closed hands back whatever still arrives', () => {
  const { desk: d, runs, grant, sent } = desk();
  d.close();
  grant(lease(7));
  expect(runs).toEqual([]);
  expect(sent()).toEqual([[fence(7), 'release']]);
});
