import { FileState, type File } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { one, present, World, type Running } from '../testbed/ingest.fixture.js';
import { passBucket } from './bucket-pass.js';
import { sweptFiles } from './swept-files.js';

describe('the sweep', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  beforeAll(async () => {
    world = await World.make();
    [ingest, other] = [await world.ingest(), await world.ingest()];
  });
  afterAll(() => world.end());

  const hour = 60 * 60 * 1000;
  const prefix = (file: File): string => `renditions/team-a/${file.name.split('/')[3]}/`;
  const uploadOf = (file: File): string => `uploads/team-a/${file.name.split('/')[3]}`;
  const fences = async (file: File): Promise<string[]> => (await world.keys(prefix(file))).map((key) => key.split('/')[3] ?? '').toSorted();
  const versions = async (file: File): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { versionId } of world.store.versionsOf(uploadOf(file))) ids.push(versionId);
    return ids;
  };
  const put = (key: string): Promise<unknown> => world.store.put(key, one(Buffer.from('bytes')), { contentType: 'image/webp' });

  /** Three attempts wrote; the second one's outcome is applied, or the job failed after it. */
  async function decided(state: JobState): Promise<{ file: File; written: [bigint, bigint, bigint] }> {
    const { file, job } = await ingest.relayed();
    const first = world.coordinator.grant(job);
    await world.render(file.name, first);
    const second = world.coordinator.grant(job);
    const result = await world.render(file.name, second);
    world.coordinator.finish(job, { state, fence: second, ...(state === JobState.SUCCEEDED ? { result } : { reason: 'CORRUPT' }) });
    await ingest.run('outcomes');
    const third = second + 1_000n;
    await world.render(file.name, third);
    return { file, written: [first, second, third] };
  }

  describe('the sweep of one card', () => {
    test('READY: removes the bytes of superseded attempts, never the rendition, never a fence above it', async () => {
      const { file, written: [, applied, above] } = await decided(JobState.SUCCEEDED);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual([String(applied), String(above)]);
      expect((await ingest.get(file)).state).toBe(FileState.READY);
      expect(await ingest.metric('leasehold_files_swept_bytes_total', { kind: 'rendition', pass: 'file' })).toBeGreaterThan(0);
    });

    test('REJECTED: removes its own fence too, as those bytes were never official, and keeps the source for a retry', async () => {
      const { file, written: [, , above] } = await decided(JobState.FAILED);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual([String(above)]);
      expect(await versions(file)).toEqual([file.source?.versionId]);
    });

    test('removes nothing before the safety interval is over, and comes back when it is', async () => {
      const { file, written } = await decided(JobState.SUCCEEDED);
      await world.db.pool.query("update files set sweep_due = now() where file_id = $1", [file.name.split('/')[3]]);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual(written.map(String));
      expect((await world.row(file.name))['sweep_due']).toBeInstanceOf(Date);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toHaveLength(2);
      expect((await world.row(file.name))['sweep_due']).toBeNull();
    });

    test('a QUEUED card loses no rendition: an attempt may be writing', async () => {
      const { file, job } = await ingest.relayed();
      await world.render(file.name, world.coordinator.grant(job));
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toHaveLength(1);
    });

    test('versions that were uploaded and not confirmed go; the confirmed one and those of files with a longer id stay', async () => {
      const file = await ingest.created();
      const longer = await ingest.created(`${file.name.split('/')[3]}-2`);
      await ingest.upload(longer);
      const [{ versionId }, unused] = [await ingest.upload(file), await ingest.upload(file)];
      await ingest.confirm(file, versionId);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await versions(file)).toEqual([versionId]);
      expect(unused.versionId).not.toBe(versionId);
      expect(await versions(longer)).toHaveLength(1);
    });

    test('uploads of an EXPIRED card go', async () => {
      const file = await ingest.created();
      await ingest.upload(file);
      await world.age(file, 24 * hour + 1_000);
      await ingest.run('expiry');
      await ingest.run('sweep');
      expect(await versions(file)).toHaveLength(1);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await versions(file)).toEqual([]);
    });

    test('two ingests sweep at once, and one that died leaves its cards to others', async () => {
      const all = [await decided(JobState.SUCCEEDED), await decided(JobState.SUCCEEDED), await decided(JobState.SUCCEEDED)];
      for (const { file } of all) await world.age(file, hour);
      // Taken by one that died before it did anything.
      await world.db.pool.query("update files set sweep_due = now() + interval '5 minutes' where file_id = $1", [all[0]?.file.name.split('/')[3]]);
      await Promise.all([ingest.run('sweep'), other.run('sweep')]);
      await world.age(present(all[0]).file, hour);
      await other.run('sweep');
      for (const { file } of all) expect(await fences(file)).toHaveLength(2);
    });
  });

  describe('after DeleteFile', () => {
    const deleted = async (): Promise<File> => {
      const { file } = await decided(JobState.SUCCEEDED);
      await ingest.client.deleteFile({ name: file.name });
      return file;
    };

    test('every byte goes after the safety interval, and then the card is DELETED, delete markers included', async () => {
      const file = await deleted();
      await world.store.delete(uploadOf(file));
      await world.store.delete(`${prefix(file)}junk`);
      await ingest.run('sweep');
      expect(await fences(file)).toHaveLength(4);
      expect((await ingest.get(file)).state).toBe(FileState.DELETING);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect([...(await fences(file)), ...(await versions(file))]).toEqual([]);
      expect(await ingest.get(file)).toMatchObject({ state: FileState.DELETED, deleteTime: expect.any(Date), rendition: undefined });
    });

    test('it is not DELETED while something is listed, and comes back for what arrived in between', async () => {
      const file = await deleted();
      await world.age(file, hour);
      // A late attempt stores its bytes right behind the removal of the last version, where the listing has been already.
      const { store } = ingest.ingest.files;
      const remove = store.deleteVersion.bind(store);
      let left = (await fences(file)).length + (await versions(file)).length;
      store.deleteVersion = async (key, versionId, o) => {
        await remove(key, versionId, o);
        left -= 1;
        if (left === 0) await put(`${prefix(file)}1/photo.webp`);
      };
      try {
        await ingest.run('sweep');
      } finally {
        store.deleteVersion = remove;
      }
      expect(await fences(file)).toEqual(['1']);
      expect(await ingest.get(file)).toMatchObject({ state: FileState.DELETING });
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual([]);
      expect((await ingest.get(file)).state).toBe(FileState.DELETED);
    });

    test('nothing goes while the coordinator has not confirmed the cancel: it may still grant the job', async () => {
      const { file, job } = await ingest.relayed();
      const fence = world.coordinator.grant(job);
      await ingest.client.deleteFile({ name: file.name });
      await world.render(file.name, fence);
      await world.age(file, 24 * hour);
      await ingest.run('sweep');
      expect(await fences(file)).toHaveLength(1);
      // The interval begins with the confirmation, however long ago the deletion was.
      await ingest.run('cancels');
      await ingest.run('sweep');
      expect(await fences(file)).toHaveLength(1);
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual([]);
      expect((await ingest.get(file)).state).toBe(FileState.DELETED);
    });

    test('an outcome that comes after it changes nothing, and the bytes that it names are swept', async () => {
      const { file, job } = await ingest.relayed();
      const fence = world.coordinator.grant(job);
      await ingest.client.deleteFile({ name: file.name });
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
      await ingest.run('outcomes');
      await ingest.run('cancels');
      await world.age(file, hour);
      await ingest.run('sweep');
      expect(await fences(file)).toEqual([]);
      expect(await ingest.get(file)).toMatchObject({ state: FileState.DELETED, rendition: undefined });
    });
  });

  describe('the pass over the whole bucket', () => {
    const pass = (at: Running, writeMs = 60 * 60 * 1000): Promise<void> =>
      passBucket({ db: world.db, store: world.store, metrics: at.ingest.metrics, logger: at.ingest.files.logger, objects: sweptFiles(world.db, { uploadMs: writeMs, writeMs }), everyMs: 1 }, AbortSignal.timeout(10_000));

    test('finds what came after the sweep: bytes of DELETED cards and of attempts that died late', async () => {
      const { file: gone } = await decided(JobState.SUCCEEDED);
      await ingest.client.deleteFile({ name: gone.name });
      const { file: kept, written } = await decided(JobState.SUCCEEDED);
      for (const file of [gone, kept]) await world.age(file, 2 * hour);
      await ingest.run('sweep');
      expect((await ingest.get(gone)).state).toBe(FileState.DELETED);
      await put(`${prefix(gone)}5/photo.webp`);
      await put(uploadOf(gone));
      await put(`${prefix(kept)}${written[0]}/photo.webp`);
      await pass(ingest);
      expect([...(await fences(gone)), ...(await versions(gone))]).toEqual([]);
      expect(await fences(kept)).toEqual([String(written[1]), String(written[2])]);
      expect(await versions(kept)).toEqual([kept.source?.versionId]);
    });

    test('removes what belongs to no card, once nothing that made it can be under way, and leaves foreign keys alone', async () => {
      await put('renditions/team-a/nobody/7/photo.webp');
      await put('uploads/team-a/nobody');
      await put('renditions/README');
      await pass(ingest);
      expect(await world.keys('renditions/team-a/nobody/')).toHaveLength(1);
      const foreign = await ingest.metric('leasehold_files_foreign_objects_total');
      await pass(ingest, -1_000);
      expect([...(await world.keys('renditions/team-a/nobody/')), ...(await world.keys('uploads/team-a/nobody'))]).toEqual([]);
      expect(await world.keys('renditions/README')).toHaveLength(1);
      expect(await ingest.metric('leasehold_files_foreign_objects_total')).toBe(foreign + 1);
    });

    test('never removes the rendition of a READY card, a source in use or an upload of a PENDING one, however old', async () => {
      const { file } = await decided(JobState.SUCCEEDED);
      const pending = await ingest.created();
      await ingest.upload(pending);
      await world.age(file, 1_000 * hour);
      await pass(ingest, 0);
      const { rendition, source } = await ingest.get(file);
      await world.store.head(present(rendition).key, present(rendition).versionId);
      await world.store.head(uploadOf(file), present(source).versionId);
      expect(await versions(pending)).toHaveLength(1);
    });

    test('is made by one instance at a time, when it is due', async () => {
      const before = await ingest.metric('leasehold_files_bucket_passes_total');
      await world.db.pool.query("update passes set due_at = now()");
      const duty = 'bucket-pass';
      await Promise.all([ingest, other, ingest, other].map((at) => at.ingest.duties[duty](AbortSignal.timeout(10_000))));
      const made = await Promise.all([ingest, other].map((at) => at.metric('leasehold_files_bucket_passes_total')));
      expect(made.reduce((sum, value) => sum + value, 0)).toBe(before + 1);
      const { rows } = await world.db.pool.query<{ hours: number }>("select round(extract(epoch from due_at - now()) / 3600)::int as hours from passes where name = 'bucket-of-renditions'");
      expect(rows).toEqual([{ hours: 6 }]);
    });
  });
});
