import { randomUUID } from 'node:crypto';
import { AnimationPolicy, FileState, type File } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { present, sha256, World, type Running } from '../testbed/ingest.fixture.js';

describe('writes that are repeated', () => {
  // A caller whose reply was lost repeats the call, and the balancer may bring it to another instance.
  let world: World;
  let first: Running;
  let second: Running;
  beforeAll(async () => {
    world = await World.make();
    [first, second] = [await world.ingest(), await world.ingest()];
  });
  afterAll(() => world.end());

  async function rejected(): Promise<File> {
    const { file, job } = await first.relayed();
    world.coordinator.finish(job, { state: JobState.FAILED, reason: 'EXHAUSTED' });
    await first.run('outcomes');
    return first.get(file);
  }

  describe('after a lost reply the repeat answers as the first call did, at another instance', () => {
    test('CreateFile', async () => {
      const request = { parent: 'namespaces/team-a', fileId: randomUUID(), options: undefined, renditions: [], wantsPlaceholder: false, animation: AnimationPolicy.UNSPECIFIED };
      const lost = await first.client.createFile(request);
      const repeat = await second.client.createFile(request);
      expect(repeat.file).toEqual(lost.file);
      expect(repeat.uploadTarget?.method).toBe('PUT');
    });

    test('UploadFile: one more version of the same bytes, either of which can be confirmed', async () => {
      const file = await first.created();
      const bytes = Buffer.from('the same bytes');
      const lost = await first.upload(file, bytes);
      const repeat = await second.upload(file, bytes);
      expect(repeat).toMatchObject({ sizeBytes: lost.sizeBytes, sha256: sha256(bytes) });
      expect(await second.confirm(file, repeat.versionId)).toMatchObject({ state: FileState.QUEUED, source: { versionId: repeat.versionId } });
    });

    test('ConfirmFile', async () => {
      const file = await first.created();
      const { versionId } = await first.upload(file);
      const lost = await first.confirm(file, versionId);
      expect(await second.confirm(file, versionId)).toEqual(lost);
    });

    test('ConfirmFile, long after: the card as it is by then', async () => {
      const file = await rejected();
      const again = await second.confirm(file, present(file.source).versionId);
      expect(again).toEqual(file);
      await first.client.deleteFile({ name: file.name });
      expect(await second.confirm(file, present(file.source).versionId)).toMatchObject({ state: FileState.DELETING });
    });

    test('RetryFile', async () => {
      const { name, etag } = await rejected();
      const lost = await first.client.retryFile({ name, etag });
      expect(lost.file).toMatchObject({ state: FileState.QUEUED, generation: 2, rejection: undefined });
      expect(await second.client.retryFile({ name, etag })).toEqual(lost);
    });

    test('DeleteFile', async () => {
      const { file } = await first.relayed();
      const lost = await first.client.deleteFile({ name: file.name });
      expect(lost.file).toMatchObject({ state: FileState.DELETING, deleteTime: expect.any(Date) });
      expect(await second.client.deleteFile({ name: file.name })).toEqual(lost);
    });
  });

  describe('RetryFile', () => {
    test('the same etag retries once, even when the retry was rejected again meanwhile', async () => {
      const { name, etag } = await rejected();
      await first.client.retryFile({ name, etag });
      await first.run('relay');
      world.coordinator.finish(`namespaces/team-a/kinds/image/jobs/${name.split('/')[3]}.2`, { state: JobState.FAILED, reason: 'EXHAUSTED' });
      await first.run('outcomes');
      const again = await second.client.retryFile({ name, etag });
      expect(again.file).toMatchObject({ state: FileState.REJECTED, generation: 2 });
      const next = await second.client.retryFile({ name, etag: present(again.file).etag });
      expect(next.file).toMatchObject({ state: FileState.QUEUED, generation: 3 });
      expect((await second.client.retryFile({ name, etag })).file).toMatchObject({ generation: 3 });
    });

    test('20 concurrent retries make one generation', async () => {
      const { name, etag } = await rejected();
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first : second).client.retryFile({ name, etag })));
      expect(new Set(answers.map(({ file }) => file?.generation))).toEqual(new Set([2]));
    });

    test('reads the same confirmed version under a new job, and its outcome counts', async () => {
      const card = await rejected();
      const { file } = await first.client.retryFile({ name: card.name, etag: card.etag });
      await first.run('relay');
      const job = `namespaces/team-a/kinds/image/jobs/${card.name.split('/')[3]}.2`;
      const spec = present(world.coordinator.specs.get(job));
      const before = present(world.coordinator.specs.get(job.replace(/2$/, '1')));
      expect([spec.payload, spec.contentDigest]).toEqual([before.payload, before.contentDigest]);
      const fence = world.coordinator.grant(job);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(card.name, fence) });
      await first.run('outcomes');
      expect(await first.get(card)).toMatchObject({ state: FileState.READY, generation: 2, source: present(file).source });
    });

    test('is refused without an etag, with another one, and for a card that is not REJECTED', async () => {
      const { name } = await rejected();
      const { file } = await first.queued();
      await expect(first.client.retryFile({ name, etag: '' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'etag' }] });
      await expect(first.client.retryFile({ name, etag: file.etag })).rejects.toMatchObject({ code: status.ABORTED, reason: 'ETAG_MISMATCH' });
      await expect(first.client.retryFile({ name: file.name, etag: file.etag })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_REJECTED', violations: [{ subject: file.name }] });
      await expect(first.client.retryFile({ name: 'namespaces/team-a/files/nobody', etag: file.etag })).rejects.toMatchObject({ code: status.NOT_FOUND });
    });
  });

  describe('DeleteFile', () => {
    test('moves every card to DELETING at once, whatever its state, and says NOT_FOUND for none', async () => {
      const cards = [await first.created(), (await first.queued()).file, (await first.relayed()).file, await rejected()];
      for (const { name } of cards) expect((await first.client.deleteFile({ name })).file).toMatchObject({ state: FileState.DELETING, rejection: undefined, expireTime: undefined });
      await expect(first.client.deleteFile({ name: 'namespaces/team-a/files/nobody' })).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'FILE_NOT_FOUND' });
    });
  });

  test('a call whose database connection breaks is answered UNAVAILABLE with a delay, and the repeat succeeds', async () => {
    const { file } = await first.queued();
    const blocker = await world.db.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('select 1 from files where file_id = $1 for update', [file.name.split('/')[3]]);
      const call = expect(first.client.deleteFile({ name: file.name })).rejects.toMatchObject({ code: status.UNAVAILABLE, reason: 'DATABASE_UNAVAILABLE', retryDelayMs: 1_000 });
      const breakIt = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'ingest test' and wait_event_type = 'Lock'";
      await expect.poll(async () => (await world.db.pool.query(breakIt)).rowCount).toBe(1);
      await call;
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
    expect((await first.client.deleteFile({ name: file.name })).file).toMatchObject({ state: FileState.DELETING });
  });
});
