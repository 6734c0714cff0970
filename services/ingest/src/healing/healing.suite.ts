import { FileState } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { present, World, type Running } from '../testbed/ingest.fixture.js';

describe('healing and expiry', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  beforeAll(async () => {
    world = await World.make();
    [ingest, other] = [await world.ingest(), await world.ingest()];
  });
  afterEach(() => { world.coordinator.before = () => undefined; });
  afterAll(() => world.end());

  const tenMinutes = 10 * 60 * 1000 + 1_000;

  describe('healing', () => {
    test('a job that the coordinator forgot comes back, with the same bytes, and ends as usual', async () => {
      const { file, job } = await ingest.relayed();
      const sent = present(world.coordinator.specs.get(job));
      world.coordinator.forget(job);
      await world.age(file, tenMinutes);
      expect(await ingest.run('healing')).toBe(1);
      expect(ingest.wakes).toContain('relay');
      await ingest.run('relay');
      expect(world.coordinator.specs.get(job)).toEqual(sent);
      const fence = world.coordinator.grant(job);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
      await ingest.run('outcomes');
      expect((await ingest.get(file)).state).toBe(FileState.READY);
    });

    test('a job that is just slow is left as it is', async () => {
      const { file, job } = await ingest.relayed();
      const fence = world.coordinator.grant(job, { percent: 50, stage: 'decoding' });
      await world.age(file, tenMinutes);
      await ingest.run('healing');
      await ingest.run('relay');
      expect(world.coordinator.jobs.get(job)).toMatchObject({ state: JobState.LEASED, fence });
      expect(await ingest.get(file)).toMatchObject({ state: FileState.PROCESSING, generation: 1 });
    });

    test('two ingests heal a card once, and not before its time', async () => {
      const { file } = await ingest.relayed();
      expect(await ingest.run('healing')).toBe(0);
      await world.age(file, tenMinutes);
      const healed = await Promise.all([ingest.run('healing'), other.run('healing')]);
      expect(healed[0] + healed[1]).toBe(1);
      await ingest.run('relay');
      expect(await ingest.run('healing')).toBe(0);
    });

    test('a card that is final or deleted is never sent again', async () => {
      const [done, gone] = [await ingest.relayed(), await ingest.relayed()];
      world.coordinator.finish(done.job, { state: JobState.FAILED, reason: 'CORRUPT' });
      await ingest.run('outcomes');
      await ingest.client.deleteFile({ name: gone.file.name });
      for (const { file } of [done, gone]) await world.age(file, tenMinutes);
      expect(await ingest.run('healing')).toBe(0);
    });
  });

  describe('expiry', () => {
    const day = 24 * 60 * 60 * 1000 + 1_000;

    test('a card that was not confirmed in time is EXPIRED, once, and only then', async () => {
      const [late, early] = [await ingest.created(), await ingest.created()];
      await world.age(late, day);
      const expired = await Promise.all([ingest.run('expiry'), other.run('expiry')]);
      expect(expired[0] + expired[1]).toBe(1);
      expect(await ingest.get(late)).toMatchObject({ state: FileState.EXPIRED, expireTime: undefined });
      expect((await ingest.get(early)).state).toBe(FileState.PENDING);
    });

    test('a confirmed card never expires', async () => {
      const { file } = await ingest.queued();
      await world.age(file, day);
      await ingest.run('expiry');
      expect((await ingest.get(file)).state).toBe(FileState.QUEUED);
    });

    test('confirm and expiry race: one of them wins, never both', async () => {
      const seen = new Set<FileState>();
      for (let round = 0; round < 12; round++) {
        const file = await ingest.created();
        const { versionId } = await ingest.upload(file);
        // Its time is up within the next milliseconds: some rounds before the confirm, some after.
        await world.db.pool.query(`update files set expire_time = clock_timestamp() + $2 * interval '1 millisecond' where file_id = $1`, [file.name.split('/')[3], round]);
        const [confirmed] = await Promise.allSettled([ingest.confirm(file, versionId), other.run('expiry'), ingest.run('expiry')]);
        await ingest.run('expiry');
        await world.db.pool.query(`update files set expire_time = now() - interval '1 second' where file_id = $1 and state = 'pending'`, [file.name.split('/')[3]]);
        await ingest.run('expiry');
        const { state, generation } = await ingest.get(file);
        seen.add(state);
        if (confirmed.status === 'fulfilled') expect({ state, generation }).toEqual({ state: FileState.QUEUED, generation: 1 });
        else {
          expect(confirmed.reason).toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_PENDING' });
          expect({ state, generation }).toEqual({ state: FileState.EXPIRED, generation: 0 });
        }
      }
      expect([FileState.QUEUED, FileState.EXPIRED]).toEqual(expect.arrayContaining([...seen]));
    });
  });
});
