import { FileState } from '@leasehold/ingest-v1';
import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { imageContracts } from '../contract/image-contracts.js';
import { Contracts } from '../jobs/contracts.js';
import { Gate } from '../testbed/gate.fixture.js';
import { present, World, type Running } from '../testbed/ingest.fixture.js';

describe('relay and cancels', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  beforeAll(async () => {
    world = await World.make();
    [ingest, other] = [await world.ingest(), await world.ingest()];
  });
  beforeEach(() => { world.coordinator.calls.length = 0; });
  afterEach(async () => {
    world.coordinator.verdictFor = () => undefined;
    world.coordinator.before = () => undefined;
    await world.db.pool.query('update files set relay_due = null, cancel_due = null');
  });
  afterAll(() => world.end());

  const payloads = (): Buffer[] => world.coordinator.calls.flatMap(({ method, request }) =>
    method === 'enqueueJobs' && typeof request === 'object' && request !== null && 'jobs' in request && Array.isArray(request.jobs) ? request.jobs.flatMap((spec: { payload: Buffer }) => [spec.payload]) : []);

  describe('the relay', () => {
    test('two ingests that relay at once send each job once', async () => {
      const jobs = await Promise.all(Array.from({ length: 12 }, () => ingest.queued()));
      await Promise.all([ingest.run('relay'), other.run('relay'), ingest.run('relay'), other.run('relay')]);
      expect(payloads()).toHaveLength(12);
      for (const { file, job } of jobs) {
        expect(await world.row(file.name)).toMatchObject({ relay_due: null, enqueue_id: world.coordinator.jobs.get(job)?.enqueueId });
      }
    });

    test('sends the stored bytes, byte for byte, again after a lost reply, also from another instance', async () => {
      const { file, job } = await ingest.queued();
      const { job_payload: stored, job_digest: digest } = await world.row(file.name);
      world.coordinator.loseReplies('enqueueJobs', 1);
      await expect(ingest.run('relay')).rejects.toMatchObject({ reason: 'REPLY_LOST' });
      expect(await world.row(file.name)).toMatchObject({ enqueue_id: null, relayed_at: null });
      await other.run('relay');
      expect(payloads()).toEqual([stored, stored]);
      expect(world.coordinator.specs.get(job)).toMatchObject({ payload: stored, contentDigest: digest, contractVersion: 1 });
      expect(await world.row(file.name)).toMatchObject({ relay_due: null, enqueue_id: world.coordinator.jobs.get(job)?.enqueueId });
    });

    test('what an instance took with it when it died is sent by another one', async () => {
      const { file, job } = await ingest.queued();
      const released = new Gate();
      world.coordinator.before = () => released.pass();
      const dying = ingest.run('relay');
      await expect.poll(() => world.coordinator.callsOf('enqueueJobs')).toBe(1);
      // Taken: nobody else sends it yet.
      expect(await other.run('relay')).toBe(0);
      await world.age(file, 60_000);
      world.coordinator.before = () => undefined;
      expect(await other.run('relay')).toBe(1);
      expect(world.coordinator.jobs.has(job)).toBe(true);
      released.open();
      await dying;
      expect(await world.row(file.name)).toMatchObject({ relay_due: null, enqueue_id: world.coordinator.jobs.get(job)?.enqueueId });
    });

    test('while the coordinator is away everything stays due, and nothing is lost', async () => {
      const { file, job } = await ingest.queued();
      world.coordinator.before = () => { throw new Error('away'); };
      await expect(ingest.run('relay')).rejects.toThrow();
      world.coordinator.before = () => undefined;
      expect(await ingest.run('relay')).toBe(1);
      expect(world.coordinator.jobs.has(job)).toBe(true);
      expect((await ingest.get(file)).state).toBe(FileState.QUEUED);
    });

    test('CONTRACT_CLOSED lets it encode anew by another version, as the same job', async () => {
      const v1 = imageContracts.preferred;
      const both = await world.ingest({ contracts: new Contracts([{ ...v1, version: 2, encode: (job) => Buffer.concat([v1.encode(job), Buffer.from([0xf8, 0x07, 1])]) }, v1]) });
      const { file, job } = await both.queued();
      const before = await world.row(file.name);
      world.coordinator.verdictFor = (spec) => (spec.contractVersion === 2 ? EnqueueVerdict.CONTRACT_CLOSED : undefined);
      await both.run('relay');
      const after = await world.row(file.name);
      expect([before['job_contract_version'], after['job_contract_version']]).toEqual([2, 1]);
      expect(after['job_payload']).not.toEqual(before['job_payload']);
      expect(after['job_digest']).toEqual(before['job_digest']);
      await both.run('relay');
      expect(world.coordinator.specs.get(job)).toMatchObject({ contractVersion: 1, payload: after['job_payload'] });
    });

    test('when every version is closed each is tried once, and then the job waits', async () => {
      const v1 = imageContracts.preferred;
      const both = await world.ingest({ contracts: new Contracts([{ ...v1, version: 2 }, v1]) });
      const { file } = await both.queued();
      world.coordinator.verdictFor = () => EnqueueVerdict.CONTRACT_CLOSED;
      expect([await both.run('relay'), await both.run('relay'), await both.run('relay')]).toEqual([1, 1, 0]);
      expect(await world.row(file.name)).toMatchObject({ state: 'queued', job_contract_version: 1, relay_refusal: 'contract_closed: scripted refusal' });
    });

    test.each([
      ['CONTRACT_CLOSED without another version', EnqueueVerdict.CONTRACT_CLOSED, 'contract_closed'],
      ['CONFLICT', EnqueueVerdict.CONFLICT, 'conflict'],
      ['INVALID', EnqueueVerdict.INVALID, 'invalid'],
      ['a verdict of later', EnqueueVerdict.UNRECOGNIZED, 'unknown'],
    ])('%s is an alarm: counted, kept for operators, sent again later with the same bytes', async (_, verdict, word) => {
      const { file } = await ingest.queued();
      const before = await world.row(file.name);
      const alarms = await ingest.metric('leasehold_files_relayed_total', { verdict: word });
      world.coordinator.verdictFor = () => verdict;
      await ingest.run('relay');
      expect(await ingest.run('relay')).toBe(0);
      expect(await ingest.metric('leasehold_files_relayed_total', { verdict: word })).toBe(alarms + 1);
      const after = await world.row(file.name);
      expect(after).toMatchObject({ state: 'queued', job_payload: before['job_payload'], job_contract_version: 1, relay_refusal: `${word}: scripted refusal` });
      world.coordinator.verdictFor = () => undefined;
      await world.age(file, 120_000);
      expect(await ingest.run('relay')).toBe(1);
      expect(await world.row(file.name)).toMatchObject({ relay_due: null, relay_refusal: null });
    });

    test('one refusal keeps no other job from being taken', async () => {
      const [bad, good] = [await ingest.queued(), await ingest.queued()];
      world.coordinator.verdictFor = (spec) => (spec.name === bad.job ? EnqueueVerdict.INVALID : undefined);
      await ingest.run('relay');
      expect(await world.row(good.file.name)).toMatchObject({ relay_due: null, enqueue_id: world.coordinator.jobs.get(good.job)?.enqueueId });
    });

    test('a card that was deleted while its job was under way to the coordinator: that very enqueue is cancelled', async () => {
      const { file, job } = await ingest.queued();
      const released = new Gate();
      world.coordinator.before = (method) => (method === 'enqueueJobs' ? released.pass() : undefined);
      const relaying = ingest.run('relay');
      await expect.poll(() => world.coordinator.callsOf('enqueueJobs')).toBe(1);
      await ingest.client.deleteFile({ name: file.name });
      released.open();
      await relaying;
      const enqueueId = present(world.coordinator.jobs.get(job)).enqueueId;
      expect(world.coordinator.calls.filter(({ method }) => method === 'cancelJob').map(({ request }) => request)).toEqual([{ name: job, enqueueId }]);
      expect(world.coordinator.jobs.get(job)?.state).toBe(JobState.CANCELLED);
    });

    test('a job that had ended before `records` was restored brings its outcome with it', async () => {
      const { file, job } = await ingest.relayed();
      const fence = world.coordinator.grant(job);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
      // The outcome was acknowledged; then the records fell back to before it was applied.
      world.coordinator.outcomes = [];
      await world.db.pool.query('update files set relay_due = now(), relayed_at = null, enqueue_id = null where file_id = $1', [file.name.split('/')[3]]);
      await ingest.run('relay');
      expect(await ingest.get(file)).toMatchObject({ state: FileState.READY, rendition: { fence } });
    });
  });

  describe('the cancel duty', () => {
    const deleted = async (how: 'queued' | 'relayed'): Promise<{ name: string; job: string }> => {
      const { file, job } = await ingest[how]();
      await ingest.client.deleteFile({ name: file.name });
      return { name: file.name, job };
    };

    test('cancels the enqueue that was heard of', async () => {
      const { name, job } = await deleted('relayed');
      await ingest.run('cancels');
      expect(world.coordinator.jobs.get(job)?.state).toBe(JobState.CANCELLED);
      expect(await world.row(name)).toMatchObject({ cancel_due: null, cancel_confirmed_at: expect.any(Date) });
    });

    test('a card that was never relayed leaves a tombstone, so that an enqueue still under way ends as CANCELLED', async () => {
      const { name, job } = await deleted('queued');
      await ingest.run('cancels');
      expect(world.coordinator.calls).toContainEqual({ method: 'cancelJob', request: { name: job, enqueueId: 0n } });
      expect(world.coordinator.tombstones.has(job)).toBe(true);
      expect(await world.row(name)).toMatchObject({ cancel_due: null, relay_due: null });
      expect(await ingest.run('relay')).toBe(0);
    });

    test('is repeated until it is confirmed, from any instance: coordinator away, reply lost', async () => {
      const { name, job } = await deleted('relayed');
      world.coordinator.before = () => { throw new Error('away'); };
      await expect(ingest.run('cancels')).rejects.toThrow();
      expect(await world.row(name)).toMatchObject({ cancel_confirmed_at: null, cancel_due: expect.any(Date), sweep_due: null });
      world.coordinator.before = () => undefined;
      world.coordinator.loseReplies('cancelJob', 1);
      await expect(ingest.run('cancels')).rejects.toMatchObject({ reason: 'REPLY_LOST' });
      await other.run('cancels');
      expect(world.coordinator.jobs.get(job)?.state).toBe(JobState.CANCELLED);
      expect(await world.row(name)).toMatchObject({ cancel_due: null, cancel_confirmed_at: expect.any(Date) });
    });

    test('an enqueue that healing has superseded goes too', async () => {
      const { file, job } = await ingest.relayed();
      const old = present(world.coordinator.jobs.get(job)).enqueueId;
      present(world.coordinator.jobs.get(job)).enqueueId = old + 1_000_000n;
      await ingest.client.deleteFile({ name: file.name });
      await ingest.run('cancels');
      expect(world.coordinator.jobs.get(job)?.state).toBe(JobState.CANCELLED);
    });

    test('a job that the coordinator forgot leaves a tombstone: healing may have it under way again', async () => {
      const { file, job } = await ingest.relayed();
      world.coordinator.forget(job);
      await ingest.client.deleteFile({ name: file.name });
      await ingest.run('cancels');
      expect(world.coordinator.tombstones.has(job)).toBe(true);
      expect(await world.row(file.name)).toMatchObject({ cancel_due: null, cancel_confirmed_at: expect.any(Date) });
    });

    test('a card whose job had ended has nothing to cancel', async () => {
      const { file, job } = await ingest.relayed();
      world.coordinator.grant(job);
      world.coordinator.finish(job, { state: JobState.FAILED, reason: 'CORRUPT' });
      await ingest.run('outcomes');
      await ingest.client.deleteFile({ name: file.name });
      expect(await world.row(file.name)).toMatchObject({ cancel_due: null, sweep_due: expect.any(Date) });
    });
  });
});
