import { AnimationPolicy, FileState, RenditionFormat, RenditionSpec, type CreateFileRequest, type DownloadFileResponse, type File } from '@leasehold/ingest-v1';
import { ImagePayload } from '@leasehold/jobs-image-v1';
import { ImagePayload as ImagePayloadV2 } from '@leasehold/jobs-image-v2';
import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jobOf, present, World, type Running } from '../testbed/ingest.fixture.js';

describe('two versions of the image contract', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  beforeEach(() => { world.coordinator.calls.length = 0; });
  afterEach(async () => {
    world.coordinator.verdictFor = () => undefined;
    await world.db.pool.query('update files set relay_due = null');
  });
  afterAll(() => world.end());

  const shares = async (...of: [version: number, percent: number][]): Promise<void> => {
    world.coordinator.shares = { image: of.map(([contractVersion, percent]) => ({ contractVersion, percent })), import: [{ contractVersion: 1, percent: 100 }] };
    for (const each of ingest.ingest.shares) await each.askNow(new AbortController().signal);
  };
  const several: Partial<CreateFileRequest> = {
    renditions: [RenditionSpec.create({ name: 'page' }), RenditionSpec.create({ name: 'card', maxWidth: 64, quality: 50 })], wantsPlaceholder: true, animation: AnimationPolicy.KEEP,
  };
  async function queued(asked: Partial<CreateFileRequest> = {}): Promise<File> {
    const created = await ingest.created(undefined, undefined, asked);
    return ingest.confirm(created, (await ingest.upload(created)).versionId);
  }
  async function ready(names = ['page', 'card']): Promise<{ file: File; fence: bigint }> {
    await shares([2, 0], [1, 100]);
    const file = await queued(several);
    await ingest.run('relay');
    const fence = world.coordinator.grant(jobOf(file));
    world.coordinator.finish(jobOf(file), { state: JobState.SUCCEEDED, result: await world.renderSeveral(file.name, fence, names) });
    await ingest.run('outcomes');
    return { file: await ingest.get(file), fence };
  }

  test('V2: a job is written in the version that the coordinator says, and a roll-back of the share takes new ones back', async () => {
    await shares([2, 100], [1, 0]);
    const second = await queued();
    expect(await world.row(second.name)).toMatchObject({ job_contract_version: 2 });
    await shares([2, 0], [1, 100]);
    const first = await queued();
    expect(await world.row(first.name)).toMatchObject({ job_contract_version: 1 });
    await ingest.run('relay');
    const [old, recent] = [world.coordinator.specs.get(jobOf(first)), world.coordinator.specs.get(jobOf(second))];
    expect(ImagePayload.decode(present(old).payload).maxWidth).toBe(1600);
    expect(ImagePayloadV2.decode(present(recent).payload).renditions).toMatchObject([{ name: 'photo', maxWidth: 1600 }]);
  });

  test('V2: a producer names itself, and what it writes and reads, wherever it asks', async () => {
    await shares([1, 100]);
    await ingest.run('outcomes');
    const asked = world.coordinator.calls.filter(({ method }) => method === 'getContractShares').map(({ request }) => request);
    expect(asked).toMatchObject([{ kind: 'image', writes: [1, 2], reads: [1, 2] }, { kind: 'import' }]);
    const [{ producer } = { producer: '' }] = ingest.ingest.shares;
    expect(asked[0]).toMatchObject({ producer });
    expect(world.coordinator.calls.findLast(({ method }) => method === 'pullOutcomes')?.request).toMatchObject({ producer, contractVersions: [1, 2] });
  });

  test('V1: an ingest that is restricted to version 1 writes and reads nothing else', async () => {
    const old = await world.ingest({ env: { LEASEHOLD_IMAGE_CONTRACTS: '1' } });
    world.coordinator.shares = { image: [{ contractVersion: 2, percent: 100 }, { contractVersion: 1, percent: 0 }] };
    await old.run('shares');
    await old.run('outcomes');
    expect(world.coordinator.calls.filter(({ method }) => method === 'getContractShares').at(-1)?.request).toMatchObject({ writes: [1], reads: [1] });
    expect(world.coordinator.calls.findLast(({ method }) => method === 'pullOutcomes')?.request).toMatchObject({ contractVersions: [1] });
  });

  test('V2: what needs version 2 is refused while it is not OPEN, with what to do, and nothing is made', async () => {
    await shares([1, 100]);
    for (const asked of [several, { wantsPlaceholder: true }, { animation: AnimationPolicy.REFUSE }, { renditions: [RenditionSpec.create({ name: 'photo', format: RenditionFormat.JPEG })] }]) {
      await expect(ingest.created('refused', undefined, asked)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'OPTIONS_NOT_OPEN', message: expect.stringContaining('leasehold gate open image@2') });
    }
    expect(await world.row('namespaces/team-a/files/refused')).toEqual({});
  });

  test('V2: a card that waits for its bytes while version 2 is rolled back is not queued for something else', async () => {
    await shares([2, 0], [1, 100]);
    const created = await ingest.created(undefined, undefined, several);
    const { versionId } = await ingest.upload(created);
    await shares([1, 100]);
    await expect(ingest.confirm(created, versionId)).rejects.toMatchObject({ reason: 'OPTIONS_NOT_OPEN' });
    await shares([2, 0], [1, 100]);
    expect((await ingest.confirm(created, versionId)).state).toBe(FileState.QUEUED);
  });

  test('V5: CONTRACT_CLOSED takes a job to the version that is OPEN, as the same job; one that no OPEN version can say waits with its bytes', async () => {
    await shares([2, 100], [1, 0]);
    const [simple, rich] = [await queued(), await queued(several)];
    const digest = (await world.row(simple.name))['job_digest'];
    world.coordinator.shares = { image: [{ contractVersion: 1, percent: 100 }] };
    world.coordinator.verdictFor = (spec) => (spec.contractVersion === 2 ? EnqueueVerdict.CONTRACT_CLOSED : undefined);
    await ingest.run('relay');
    expect(await world.row(simple.name)).toMatchObject({ job_contract_version: 1, job_digest: digest });
    expect(await world.row(rich.name)).toMatchObject({ job_contract_version: 2, relay_refusal: 'contract_closed: scripted refusal' });
    await ingest.run('relay');
    expect(world.coordinator.specs.get(jobOf(simple))).toMatchObject({ contractVersion: 1, contentDigest: digest });
    expect(world.coordinator.specs.has(jobOf(rich))).toBe(false);
  });

  describe('a card of several renditions', () => {
    test('says what was asked for, defaults filled in, and the same call answers the same card', async () => {
      await shares([2, 0], [1, 100]);
      const card = await ingest.created('several', undefined, several);
      expect(card).toMatchObject({
        options: { maxWidth: 1600, quality: 80 }, wantsPlaceholder: true, animation: AnimationPolicy.KEEP,
        renditionSpecs: [{ name: 'page', format: RenditionFormat.WEBP, maxWidth: 1600, effort: 4 }, { name: 'card', maxWidth: 64, maxHeight: 1600, quality: 50 }],
      });
      expect(await ingest.created('several', undefined, several)).toEqual(card);
      await expect(ingest.created('several', undefined, { ...several, wantsPlaceholder: false })).rejects.toMatchObject({ reason: 'FILE_EXISTS' });
    });

    test('is READY with all of them, the first also as its rendition, and its placeholder', async () => {
      const { file, fence } = await ready();
      expect(file).toMatchObject({ state: FileState.READY, renditions: [{ name: 'page', frames: 1, fence, sourceWidth: 1600 }, { name: 'card', fence }], placeholder: { webp: Buffer.from('tiny'), width: 32, height: 18 } });
      expect(file.rendition).toEqual(file.renditions[0]);
      const json: { renditions?: { name: string }[] } = await (await fetch(`${ingest.http}/v1/${file.name}`)).json() as object;
      expect(json.renditions?.map(({ name }) => name)).toEqual(['page', 'card']);
    });

    test('gives each of them by its name, the first without one, and none of another name', async () => {
      const { file, fence } = await ready();
      const download = async (rendition: string): Promise<string> => {
        const parts: DownloadFileResponse[] = [];
        for await (const part of ingest.client.downloadFile({ name: file.name, rendition })) parts.push(part);
        return parts.map(({ part }) => (part?.$case === 'chunk' ? part.value.toString() : `${part?.value.name}: `)).join('');
      };
      expect([await download(''), await download('page'), await download('card')]).toEqual([`page: page ${fence}`, `page: page ${fence}`, `card: card ${fence}`]);
      const { url } = await ingest.client.getDownloadUrl({ name: file.name, rendition: 'card' });
      expect(url).toContain('card.webp');
      await expect(download('photo')).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'RENDITION_NOT_FOUND' });
    });

    test('keeps all of them through the sweep, and none once it is deleted', async () => {
      const { file } = await ready();
      await world.age(file, 365 * 86_400_000);
      await ingest.run('sweep');
      const prefix = file.renditions[0]?.key.split('/').slice(0, 3).join('/') ?? '';
      expect(await world.keys(`${prefix}/`)).toHaveLength(2);
      expect(await world.row(file.name)).toMatchObject({ sweep_due: null, sweep_made_due: null });
      await ingest.client.deleteFile({ name: file.name });
      await ingest.run('cancels');
      await world.age(file, 365 * 86_400_000);
      await ingest.run('sweep');
      expect(await world.keys(`${prefix}/`)).toEqual([]);
      expect((await ingest.get(file)).state).toBe(FileState.DELETED);
    });

    test('V7: is never due at the sweep of the release before, which would take all but the first for superseded, nor can that release queue it', async () => {
      const { file } = await ready();
      expect(await world.row(file.name)).toMatchObject({ sweep_due: null, sweep_made_due: expect.any(Date) });
      const { rows } = await world.db.pool.query("select 1 from passes where name = 'bucket' and due_at <= now() + interval '100 years'");
      expect(rows).toEqual([]);
      await expect(world.db.pool.query('update files set job_contract_version = 1 where file_id = $1', [file.name.split('/')[3]])).rejects.toMatchObject({ code: '23514', constraint: 'files_wanted' });
    });

    test('V7: an outcome or a deletion by the release before leaves no rendition of the other outcome behind', async () => {
      const { file } = await ready();
      await world.db.pool.query("update files set rendition_version_id = 'another', rendition_key = 'renditions/of/another/1/photo.webp' where file_id = $1", [file.name.split('/')[3]]);
      expect((await ingest.get(file)).renditions).toMatchObject([{ name: 'photo', versionId: 'another' }]);
    });
  });

  test('a result of version 2 for one WebP is kept as version 1 keeps it, for every release', async () => {
    await shares([2, 100], [1, 0]);
    const file = await queued();
    await ingest.run('relay');
    const fence = world.coordinator.grant(jobOf(file));
    const whole = ImagePayloadV2.decode(present(world.coordinator.specs.get(jobOf(file))).payload);
    expect(whole.placeholder).toBe(false);
    world.coordinator.finish(jobOf(file), { state: JobState.SUCCEEDED, result: await world.renderSeveral(file.name, fence, ['photo'], false) });
    await ingest.run('outcomes');
    expect(await world.row(file.name)).toMatchObject({ state: 'ready', made: null, wanted: null, sweep_due: expect.any(Date), sweep_made_due: null });
  });
});
