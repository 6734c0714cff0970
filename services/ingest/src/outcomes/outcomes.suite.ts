import { FileState, RejectionReason, type File } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { present, World, type Running } from '../testbed/ingest.fixture.js';

describe('outcomes', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterEach(() => {
    world.coordinator.outcomes = [];
    world.coordinator.before = () => undefined;
  });
  afterAll(() => world.end());

  const fate = (name: string): Promise<number> => ingest.metric('leasehold_files_outcomes_total', { fate: name });
  const fail = (job: string, reason = 'CORRUPT', fence?: bigint): void => { world.coordinator.finish(job, { state: JobState.FAILED, reason, ...(fence === undefined ? {} : { fence }) }); };

  /** Lets a worker finish the job; its outcome waits to be pulled. */
  async function succeed(file: File, job: string): Promise<bigint> {
    const fence = world.coordinator.grant(job);
    world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
    return fence;
  }

  describe('an outcome', () => {
    test('SUCCEEDED makes the card READY with the key, version, size and SHA-256 of what was made, and is acknowledged', async () => {
      const { file, job } = await ingest.relayed();
      const fence = await succeed(file, job);
      await ingest.run('outcomes');
      const [, namespace, , fileId] = file.name.split('/');
      const card = await ingest.get(file);
      const key = `renditions/${namespace}/${fileId}/${fence}/photo.webp`;
      const stored = await world.store.head(key, present(card.rendition).versionId);
      expect(card).toMatchObject({ state: FileState.READY, rendition: { key, fence, sizeBytes: BigInt(stored.sizeBytes), sha256: stored.sha256 }, progress: undefined });
      expect(card.etag).not.toBe(file.etag);
      expect(world.coordinator.outcomes).toEqual([]);
    });

    test.each([
      ['CORRUPT', RejectionReason.CORRUPT],
      ['PIXEL_LIMIT', RejectionReason.PIXEL_LIMIT],
      ['EXHAUSTED', RejectionReason.EXHAUSTED],
      ['STORE_UNAVAILABLE', RejectionReason.EXHAUSTED],
      ['A_WORD_OF_LATER', RejectionReason.OTHER],
    ])('FAILED with %s makes it REJECTED with a reason from the closed list', async (reason, expected) => {
      const { file, job } = await ingest.relayed();
      fail(job, reason);
      await ingest.run('outcomes');
      expect(await ingest.get(file)).toMatchObject({ state: FileState.REJECTED, rejection: { reason: expected, explanation: expect.stringMatching(/\.$/) }, rendition: undefined });
    });

    test('CANCELLED by an operator makes it CANCELLED', async () => {
      const { file, job } = await ingest.relayed();
      world.coordinator.finish(job, { state: JobState.CANCELLED });
      await ingest.run('outcomes');
      expect((await ingest.get(file)).state).toBe(FileState.CANCELLED);
    });

    test('with a smaller fence is ignored, whichever comes first', async () => {
      const { file, job } = await ingest.relayed();
      const late = await succeed(file, job);
      const [success] = world.coordinator.outcomes;
      fail(job);
      await ingest.run('outcomes');
      expect(await ingest.get(file)).toMatchObject({ state: FileState.REJECTED });
      world.coordinator.outcomes.push(present(success));
      const stale = await fate('stale');
      await ingest.run('outcomes');
      expect((await ingest.get(file)).state).toBe(FileState.REJECTED);
      expect(await fate('stale')).toBe(stale + 1);
      expect(world.coordinator.outcomes).toEqual([]);
      expect((await world.row(file.name))['outcome_fence']).toBeGreaterThan(late);
    });

    test('with a larger fence counts even after another: the later event wins', async () => {
      const { file, job } = await ingest.relayed();
      fail(job);
      await ingest.run('outcomes');
      await succeed(file, job);
      await ingest.run('outcomes');
      expect(await ingest.get(file)).toMatchObject({ state: FileState.READY, rejection: undefined });
    });

    test('handed out twice, or pulled by two ingests at once, counts once', async () => {
      const other = await world.ingest();
      const { file, job } = await ingest.relayed();
      await succeed(file, job);
      const [outcome] = world.coordinator.outcomes;
      await Promise.all([ingest.run('outcomes'), other.run('outcomes')]);
      world.coordinator.outcomes.push(present(outcome));
      await ingest.run('outcomes');
      expect(await world.row(file.name)).toMatchObject({ state: 'ready', revision: 3n });
    });

    test('of an earlier generation changes nothing', async () => {
      const { file, job } = await ingest.relayed();
      fail(job);
      await ingest.run('outcomes');
      const rejected = await ingest.get(file);
      await ingest.client.retryFile({ name: file.name, etag: rejected.etag });
      await succeed(file, job);
      await ingest.run('outcomes');
      expect(await ingest.get(file)).toMatchObject({ state: FileState.QUEUED, generation: 2 });
    });

    test('after DeleteFile changes nothing, whatever was running, and is acknowledged', async () => {
      const { file, job } = await ingest.relayed();
      const fence = world.coordinator.grant(job);
      await ingest.client.deleteFile({ name: file.name });
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
      const before = await world.row(file.name);
      await ingest.run('outcomes');
      expect(await world.row(file.name)).toEqual(before);
      expect(await ingest.get(file)).toMatchObject({ state: FileState.DELETING, rendition: undefined });
      expect(world.coordinator.outcomes).toEqual([]);
    });

    test('races with DeleteFile: whoever is first, the card ends as deleted and without a rendition', async () => {
      for (let round = 0; round < 5; round++) {
        const { file, job } = await ingest.relayed();
        await succeed(file, job);
        await Promise.all([ingest.run('outcomes'), ingest.client.deleteFile({ name: file.name })]);
        expect(await ingest.get(file)).toMatchObject({ state: FileState.DELETING, rendition: undefined });
      }
    });

    test('for a resource that is not known is acknowledged and counted', async () => {
      const { job } = await ingest.relayed();
      const before = await fate('unknown');
      fail(job);
      const [outcome] = world.coordinator.outcomes;
      world.coordinator.outcomes = ['namespaces/team-a/kinds/image/jobs/nobody.1', 'namespaces/team-a/kinds/image/jobs/no-generation'].map((name) => ({ ...present(outcome), name }));
      await ingest.run('outcomes');
      expect(world.coordinator.outcomes).toEqual([]);
      expect(await fate('unknown')).toBe(before + 2);
    });

    test('whose acknowledgement was lost is acknowledged again and applied once', async () => {
      const { file, job } = await ingest.relayed();
      await succeed(file, job);
      world.coordinator.before = (method) => { if (method === 'ackOutcomes') throw new Error('away'); };
      await expect(ingest.run('outcomes')).rejects.toThrow();
      const applied = await world.row(file.name);
      world.coordinator.before = () => undefined;
      expect(await ingest.run('outcomes')).toBe(1);
      expect(world.coordinator.outcomes).toEqual([]);
      expect(await world.row(file.name)).toEqual(applied);
    });
  });

  describe('a result that cannot be read', () => {
    const cases: [string, (file: File, fence: bigint) => Promise<Buffer>][] = [
      ['is no message', async () => Buffer.from([0xff, 0xff])],
      ['lies under another file', async (file, fence) => world.render(`${file.name}x`, fence)],
      ['lies under another fence', async (file, fence) => world.render(file.name, fence - 1n)],
    ];
    test.each(cases)('as it %s: is counted and not acknowledged, and holds up no other', async (_, result) => {
      const [bad, good] = [await ingest.relayed(), await ingest.relayed()];
      const fence = world.coordinator.grant(bad.job);
      world.coordinator.finish(bad.job, { state: JobState.SUCCEEDED, result: await result(bad.file, fence) });
      await succeed(good.file, good.job);
      const before = await fate('unreadable');
      await ingest.run('outcomes');
      expect(await fate('unreadable')).toBe(before + 1);
      expect((await ingest.get(bad.file)).state).toBe(FileState.QUEUED);
      expect((await ingest.get(good.file)).state).toBe(FileState.READY);
      expect(world.coordinator.outcomes.map(({ name }) => name)).toEqual([bad.job]);
    });

    test('of a version that is not read here is never even asked for', async () => {
      const { file, job } = await ingest.relayed();
      await succeed(file, job);
      for (const outcome of world.coordinator.outcomes) outcome.contractVersion = 3;
      expect(await ingest.run('outcomes')).toBe(0);
      expect(world.coordinator.calls.findLast(({ method }) => method === 'pullOutcomes')?.request).toMatchObject({ kind: 'image', contractVersions: [1, 2] });
      expect(world.coordinator.outcomes).toHaveLength(1);
      expect((await ingest.get(file)).state).toBe(FileState.QUEUED);
    });

    test('is acknowledged once nobody needs to read it: the card was deleted', async () => {
      const { file, job } = await ingest.relayed();
      world.coordinator.grant(job);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: Buffer.from([0xff]) });
      await ingest.run('outcomes');
      expect(world.coordinator.outcomes).toHaveLength(1);
      await ingest.client.deleteFile({ name: file.name });
      await ingest.run('outcomes');
      expect(world.coordinator.outcomes).toEqual([]);
    });
  });

  test('the time from confirmation to the final state is measured, and rejections are counted by reason', async () => {
    const { file, job } = await ingest.relayed();
    await world.age(file, 60_000);
    const [count, seconds] = [await ingest.metric('leasehold_files_time_to_final_seconds', { state: 'rejected', le: '+Inf' }), await ingest.metric('leasehold_files_rejected_total', { reason: 'FRAME_LIMIT' })];
    fail(job, 'FRAME_LIMIT');
    await ingest.run('outcomes');
    expect(await ingest.metric('leasehold_files_rejected_total', { reason: 'FRAME_LIMIT' })).toBe(seconds + 1);
    expect(await ingest.metric('leasehold_files_time_to_final_seconds', { state: 'rejected', le: '+Inf' })).toBe(count + 1);
    expect(await ingest.registry.metrics()).toMatch(/leasehold_files_time_to_final_seconds_bucket\{le="30",state="rejected"\}/);
  });
});
