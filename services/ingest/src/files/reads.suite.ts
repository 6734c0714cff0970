import { randomUUID } from 'node:crypto';
import { DownloadFileRequest, type File, FileState, GetDownloadUrlRequest, type WatchFileResponse } from '@leasehold/ingest-v1';
import { JobState, Progress } from '@leasehold/queue-v1';
import { Fault, status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { collected, Gate } from '../testbed/gate.fixture.js';
import { present, sha256, World, type Running } from '../testbed/ingest.fixture.js';

describe('reading, listing, watching, downloading', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterEach(() => { world.coordinator.before = () => undefined; });
  afterAll(() => world.end());

  /** A READY card whose rendition has these bytes. */
  async function ready(bytes?: Buffer): Promise<File> {
    const { file, job } = await ingest.relayed();
    const fence = world.coordinator.grant(job);
    world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence, bytes) });
    await ingest.run('outcomes');
    return ingest.get(file);
  }

  describe('GetFile', () => {
    test('shows a leased job as PROCESSING with attempt and progress, and QUEUED again when the lease is gone', async () => {
      const { file, job } = await ingest.relayed();
      expect(await ingest.get(file)).toMatchObject({ state: FileState.QUEUED, progress: { attempt: 0, maxAttempts: 3, percent: 0, stage: '' } });
      world.coordinator.grant(job, { percent: 40, stage: 'encoding' });
      expect(await ingest.get(file)).toMatchObject({ state: FileState.PROCESSING, progress: { attempt: 1, maxAttempts: 3, percent: 40, stage: 'encoding' } });
      present(world.coordinator.jobs.get(job)).state = JobState.QUEUED;
      expect(await ingest.get(file)).toMatchObject({ state: FileState.QUEUED, progress: { attempt: 1, percent: 0, stage: '' } });
      expect(await world.row(file.name)).toMatchObject({ state: 'queued' });
    });

    test('while the coordinator is away a card is QUEUED without progress, and no read fails', async () => {
      const { file } = await ingest.relayed();
      world.coordinator.before = () => { throw new Fault({ code: status.UNAVAILABLE, reason: 'AWAY', domain: 'queue.leasehold', message: 'away' }); };
      expect(await ingest.get(file)).toMatchObject({ state: FileState.QUEUED, progress: undefined });
      const { files } = await ingest.client.listFiles({ parent: 'namespaces/team-a', pageSize: 500, pageToken: '', states: [FileState.QUEUED] });
      expect(files.map(({ name }) => name)).toContain(file.name);
    });

    test('a coordinator that does not answer costs a read its progress, not its answer', async () => {
      const hasty = await world.ingest({ env: { LEASEHOLD_PROGRESS_TIMEOUT: '10ms' } });
      const { file } = await hasty.relayed();
      const released = new Gate();
      world.coordinator.before = () => released.pass();
      expect(await hasty.get(file)).toMatchObject({ state: FileState.QUEUED, progress: undefined });
      released.open();
    });

    test('reads at the same time ask the coordinator once', async () => {
      const queued = await Promise.all(Array.from({ length: 20 }, () => ingest.queued()));
      await ingest.run('relay');
      const before = world.coordinator.callsOf('batchGetJobs');
      const { files } = await ingest.client.listFiles({ parent: 'namespaces/team-a', pageSize: 500, pageToken: '', states: [FileState.QUEUED] });
      expect(files.filter(({ progress }) => progress !== undefined).length).toBeGreaterThanOrEqual(queued.length);
      expect(world.coordinator.callsOf('batchGetJobs') - before).toBe(1);
    });

    test('says NOT_FOUND for what was never made, in any namespace but its own', async () => {
      const file = await ingest.created();
      await expect(ingest.get(file.name.replace('team-a', 'team-b'))).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'FILE_NOT_FOUND', domain: 'ingest.leasehold' });
    });
  });

  describe('DownloadFile and GetDownloadUrl', () => {
    test('stream the exact version that the outcome named, first its description, in chunks of 64 KiB at most', async () => {
      const bytes = Buffer.alloc(200_000, 'webp');
      const file = await ready(bytes);
      const rendition = present(file.rendition);
      // A later version under the same key is not the one that was made official.
      await world.render(file.name, rendition.fence, Buffer.from('another'));
      const parts = await collected(ingest.client.downloadFile(DownloadFileRequest.create({ name: file.name })));
      expect(parts[0]?.part).toEqual({ $case: 'rendition', value: rendition });
      const chunks = parts.slice(1).map(({ part }) => (part?.$case === 'chunk' ? part.value : Buffer.alloc(0)));
      expect(Math.max(...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(64 * 1024);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
      expect(rendition).toMatchObject({ contentType: 'image/webp', sizeBytes: 200_000n, sha256: sha256(bytes), width: 160, sourceWidth: 1600 });
    });

    test('there is no rendition before READY, and none after DeleteFile', async () => {
      const { file } = await ingest.relayed();
      const made = await ready();
      await ingest.client.deleteFile({ name: made.name });
      for (const { name } of [file, made]) {
        await expect(collected(ingest.client.downloadFile(DownloadFileRequest.create({ name })))).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_READY' });
        await expect(ingest.client.getDownloadUrl(GetDownloadUrlRequest.create({ name }))).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_READY' });
      }
    });
  });

  describe('ListFiles', () => {
    const list = (parent: string, o: { pageSize?: number; pageToken?: string; states?: FileState[] } = {}) =>
      ingest.client.listFiles({ parent, pageSize: o.pageSize ?? 0, pageToken: o.pageToken ?? '', states: o.states ?? [] });
    const ids = (files: File[]): string[] => files.map(({ name }) => name.split('/')[3] ?? '');

    test('pages are stable: newest first, nothing twice and nothing missed, whatever is made or changes meanwhile', async () => {
      const parent = 'namespaces/paging';
      const made: string[] = [];
      for (let i = 0; i < 7; i++) made.unshift(present((await ingest.created(`f${i}`, parent)).name.split('/')[3]));
      const seen: string[] = [];
      let pageToken = '';
      do {
        const page = await list(parent, { pageSize: 3, pageToken });
        seen.push(...ids(page.files));
        pageToken = page.nextPageToken;
        await ingest.created(`later-${seen.length}`, parent);
        await ingest.client.deleteFile({ name: `${parent}/files/${seen.at(-1)}` });
      } while (pageToken !== '');
      expect(seen).toEqual(made);
    });

    test('a token continues its own list only', async () => {
      const parent = 'namespaces/tokens';
      for (let i = 0; i < 3; i++) await ingest.created(`f${i}`, parent);
      const { nextPageToken: pageToken } = await list(parent, { pageSize: 1 });
      const refused = { code: status.INVALID_ARGUMENT, reason: 'INVALID_REQUEST', fieldViolations: [{ field: 'page_token' }] };
      await expect(list('namespaces/team-a', { pageToken })).rejects.toMatchObject(refused);
      await expect(list(parent, { pageToken, states: [FileState.READY] })).rejects.toMatchObject(refused);
      await expect(list(parent, { pageToken: `${pageToken.slice(0, -1)}${pageToken.endsWith('A') ? 'B' : 'A'}` })).rejects.toMatchObject(refused);
      await expect(list(parent, { pageToken, pageSize: 2 })).resolves.toMatchObject({ files: [{}, {}], nextPageToken: '' });
    });

    test('leaves DELETED cards out unless they are asked for, and takes stored states only', async () => {
      const parent = 'namespaces/states';
      await ingest.created('kept', parent);
      const { name } = await ingest.created('gone', parent);
      await ingest.client.deleteFile({ name });
      await world.age(name, 25 * 60 * 60 * 1000);
      await ingest.run('sweep');
      expect(ids((await list(parent)).files)).toEqual(['kept']);
      expect(ids((await list(parent, { states: [FileState.DELETED] })).files)).toEqual(['gone']);
      await expect(list(parent, { states: [FileState.PENDING, FileState.PROCESSING] })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'states[1]' }] });
      await expect(list(parent, { pageSize: -1 })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'page_size' }] });
    });
  });

  describe('WatchFile', () => {
    /** Collects what a watch sends, and lets a test wait for it. */
    function watch(at: Running, name: string): { seen: File[]; ended: Promise<void> } {
      const seen: File[] = [];
      const stream: AsyncIterable<WatchFileResponse> = at.client.watchFile({ name });
      const ended = (async () => { for await (const { file } of stream) seen.push(present(file)); })();
      return { seen, ended };
    }

    test('sends each state and progress of the card, the final one too, and then ends', async () => {
      const file = await ingest.created(randomUUID());
      const { seen, ended } = watch(ingest, file.name);
      const at = async (state: FileState, percent?: number): Promise<void> => expect.poll(() => seen.some((card) => card.state === state && (percent === undefined || card.progress?.percent === percent))).toBe(true);
      await at(FileState.PENDING);
      const { versionId } = await ingest.upload(file);
      const confirmed = await ingest.confirm(file, versionId);
      await at(FileState.QUEUED);
      await ingest.run('relay');
      const job = `namespaces/team-a/kinds/image/jobs/${file.name.split('/')[3]}.1`;
      const fence = world.coordinator.grant(job, { percent: 10, stage: 'decoding' });
      await at(FileState.PROCESSING, 10);
      present(world.coordinator.jobs.get(job)).progress = Progress.create({ percent: 90, stage: 'storing' });
      await at(FileState.PROCESSING, 90);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence) });
      await ingest.run('outcomes');
      await ended;
      expect(seen.at(-1)).toEqual(await ingest.get(file));
      expect(seen.at(-1)).toMatchObject({ state: FileState.READY, generation: confirmed.generation });
      expect(seen.filter((card, i) => i > 0 && JSON.stringify(card, plain) === JSON.stringify(seen[i - 1], plain))).toEqual([]);
    });

    test('is woken by a change at another instance, long before it would look by itself', async () => {
      const patient = await world.ingest({ env: { LEASEHOLD_WATCH_FLOOR: '1h', LEASEHOLD_WATCH_PROGRESS_EVERY: '1h' } });
      const file = await ingest.created();
      const { seen, ended } = watch(patient, file.name);
      await expect.poll(() => seen.length).toBe(1);
      await world.age(file, 25 * 60 * 60 * 1000);
      await ingest.run('expiry');
      await ended;
      expect(seen.map(({ state }) => state)).toEqual([FileState.PENDING, FileState.EXPIRED]);
    });

    test('without any wake-up it still sees the change, by looking', async () => {
      const deaf = await world.ingest({ env: { LEASEHOLD_WATCH_FLOOR: '30ms' } });
      const file = await ingest.created();
      const { seen, ended } = watch(deaf, file.name);
      await expect.poll(() => seen.length).toBe(1);
      await world.db.pool.query("update files set state = 'expired', revision = revision + 1 where file_id = $1", [file.name.split('/')[3]]);
      await ended;
      expect(seen.at(-1)?.state).toBe(FileState.EXPIRED);
    });

    test('a final card is sent once, and there is nothing to watch of a card that does not exist', async () => {
      const file = await ready();
      const { seen, ended } = watch(ingest, file.name);
      await ended;
      expect(seen).toEqual([file]);
      await expect(watch(ingest, 'namespaces/team-a/files/nobody').ended).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'FILE_NOT_FOUND' });
    });
  });

  const plain = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
});
