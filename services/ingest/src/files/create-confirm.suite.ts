import { randomUUID } from 'node:crypto';
import { CreateFileRequest, FileState } from '@leasehold/ingest-v1';
import { ImagePayload } from '@leasehold/jobs-image-v1';
import { status } from '@leasehold/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Gate } from '../testbed/gate.fixture.js';
import { one, present, sha256, uploadOf, World, type Running } from '../testbed/ingest.fixture.js';

describe('CreateFile, UploadFile, ConfirmFile', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest({ env: { LEASEHOLD_MAX_UPLOAD_BYTES: '100000' } });
  });
  afterAll(() => world.end());

  const parent = 'namespaces/team-a';
  const none = Buffer.alloc(0);

  describe('CreateFile', () => {
    test('the same id and options answer the same card, with a fresh upload target while it is PENDING', async () => {
      const fileId = randomUUID();
      const first = await ingest.client.createFile(CreateFileRequest.create({ parent, fileId, options: { maxWidth: 800, maxHeight: 0, quality: 0, effort: 0 } }));
      const again = await ingest.client.createFile(CreateFileRequest.create({ parent, fileId, options: { maxWidth: 800, maxHeight: 1600, quality: 80, effort: 4 } }));
      expect(again.file).toEqual(first.file);
      expect(first.file).toMatchObject({ state: FileState.PENDING, generation: 0, options: { maxWidth: 800, maxHeight: 1600, quality: 80, effort: 4 } });
      expect(again.uploadTarget?.url).toMatch(/^http/);
    });

    test('no upload target outlives its card', async () => {
      const { file, uploadTarget } = await ingest.client.createFile(CreateFileRequest.create({ parent, fileId: '', options: undefined }));
      expect(present(uploadTarget?.expireTime).getTime()).toBeLessThanOrEqual(present(file?.expireTime).getTime());
      const name = present(file).name;
      await world.age(name, 24 * 60 * 60 * 1000 - 60_000);
      const late = await ingest.client.createFile(CreateFileRequest.create({ parent, fileId: present(name.split('/')[3]), options: undefined }));
      expect(present(late.uploadTarget?.expireTime).getTime()).toBeLessThanOrEqual(present(late.file?.expireTime).getTime());
    });

    test('a card that is no longer PENDING is answered without an upload target', async () => {
      const { file } = await ingest.queued();
      const again = await ingest.client.createFile(CreateFileRequest.create({ parent, fileId: present(file.name.split('/')[3]), options: undefined }));
      expect(again).toMatchObject({ file: { name: file.name, state: FileState.QUEUED }, uploadTarget: undefined });
    });

    test('an id that is taken with other options, or was deleted, is refused', async () => {
      const file = await ingest.created();
      const fileId = present(file.name.split('/')[3]);
      await expect(ingest.client.createFile(CreateFileRequest.create({ parent, fileId, options: { maxWidth: 1, maxHeight: 0, quality: 0, effort: 0 } }))).rejects.toMatchObject({ code: status.ALREADY_EXISTS, reason: 'FILE_EXISTS' });
      await ingest.client.deleteFile({ name: file.name });
      await expect(ingest.client.createFile(CreateFileRequest.create({ parent, fileId, options: undefined }))).rejects.toMatchObject({ code: status.ALREADY_EXISTS, reason: 'FILE_EXISTS' });
    });

    test('two namespaces may have one id', async () => {
      const fileId = randomUUID();
      const a = await ingest.created(fileId, 'namespaces/team-a');
      const b = await ingest.created(fileId, 'namespaces/team-b');
      expect(a.name).not.toBe(b.name);
    });

    test('every wrong field is named at once', async () => {
      const call = ingest.client.createFile(CreateFileRequest.create({ parent, fileId: 'Not An Id', options: { maxWidth: 20_000, maxHeight: 0, quality: 0, effort: 7 } }));
      await expect(call).rejects.toMatchObject({
        code: status.INVALID_ARGUMENT, domain: 'ingest.leasehold',
        fieldViolations: [{ field: 'options.max_width' }, { field: 'options.effort' }, { field: 'file_id' }],
      });
      await expect(ingest.client.createFile(CreateFileRequest.create({ parent: 'team-a', fileId: '', options: undefined }))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'parent' }] });
    });
  });

  describe('UploadFile', () => {
    test('answers size and digest of the bytes as they arrived, and a version of its own each time', async () => {
      const file = await ingest.created();
      const bytes = [Buffer.alloc(30_000, 1), Buffer.alloc(20_000, 2)];
      const first = await ingest.client.uploadFile(uploadOf(file.name, ...bytes));
      const again = await ingest.client.uploadFile(uploadOf(file.name, ...bytes));
      expect(first).toMatchObject({ sizeBytes: 50_000n, sha256: sha256(Buffer.concat(bytes)) });
      expect(again.versionId).not.toBe(first.versionId);
      expect((await ingest.get(file)).state).toBe(FileState.PENDING);
    });

    test('one byte beyond the limit stores nothing', async () => {
      const file = await ingest.created();
      await expect(ingest.upload(file, Buffer.alloc(100_001))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, reason: 'UPLOAD_TOO_LARGE' });
      expect(await world.keys(`uploads/${file.name.split('/')[1]}/${file.name.split('/')[3]}`)).toEqual([]);
      await expect(ingest.upload(file, Buffer.alloc(100_000))).resolves.toMatchObject({ sizeBytes: 100_000n });
    });

    test('takes no bytes for a card that is not PENDING, or not there', async () => {
      const { file } = await ingest.queued();
      await expect(ingest.upload(file)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_PENDING', violations: [{ type: 'FILE_NOT_PENDING', subject: file.name }] });
      await expect(ingest.client.uploadFile(uploadOf('namespaces/team-a/files/nobody', Buffer.from('x')))).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'FILE_NOT_FOUND' });
    });

    test('an upload that dawdles is cut off, as the sweep counts on it', async () => {
      const hasty = await world.ingest({ env: { LEASEHOLD_STORE_TIMEOUT: '1s' } });
      const file = await hasty.created();
      const gate = new Gate();
      async function* dawdling() { yield* uploadOf(file.name, Buffer.from('a')); await gate.pass(); }
      await expect(hasty.client.uploadFile(dawdling())).rejects.toMatchObject({ code: status.DEADLINE_EXCEEDED, domain: 'ingest.leasehold' });
      gate.open();
      expect(await world.keys(`uploads/team-a/${file.name.split('/')[3]}`)).toEqual([]);
    });

    test('a name in the middle, or none at the start, is refused', async () => {
      const file = await ingest.created();
      const { name } = file;
      async function* twice() { yield* uploadOf(name, Buffer.from('a')); yield* uploadOf(name); }
      async function* nameless() { yield { part: { $case: 'chunk' as const, value: Buffer.from('a') } }; }
      await expect(ingest.client.uploadFile(twice())).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
      await expect(ingest.client.uploadFile(nameless())).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    });
  });

  describe('ConfirmFile', () => {
    test('answers QUEUED at once, while the coordinator hears of nothing', async () => {
      const before = world.coordinator.calls.length;
      const file = await ingest.created();
      const bytes = Buffer.from('a photo');
      const { versionId } = await ingest.upload(file, bytes);
      const confirmed = await ingest.client.confirmFile({ name: file.name, versionId, sizeBytes: 7n, sha256: sha256(bytes) });
      expect(confirmed.file).toMatchObject({ state: FileState.QUEUED, generation: 1, source: { versionId, sizeBytes: 7n, sha256: sha256(bytes) }, expireTime: undefined });
      expect(world.coordinator.calls.length).toBe(before);
      expect(ingest.wakes).toContain('relay');
    });

    test('stores the exact job before anything is sent: version, size, digest, prefix and options', async () => {
      const { file, job } = await ingest.queued();
      const row = await world.row(file.name);
      const [, namespace, , fileId] = file.name.split('/');
      expect(row).toMatchObject({ job_id: `${fileId}.1`, job_contract_version: 1, enqueue_id: null, relayed_at: null });
      expect(job).toBe(`namespaces/${namespace}/kinds/image/jobs/${fileId}.1`);
      const payload: unknown = row['job_payload'];
      if (!(payload instanceof Buffer)) throw new Error('no payload is stored');
      expect(ImagePayload.decode(payload)).toEqual({
        source: { key: `uploads/${namespace}/${fileId}`, versionId: file.source?.versionId, sizeBytes: file.source?.sizeBytes, sha256: file.source?.sha256 },
        renditionPrefix: `renditions/${namespace}/${fileId}/`, maxWidth: 1600, maxHeight: 1600, quality: 80, effort: 4,
      });
    });

    test('50 concurrent confirms at two instances make one generation and one job', async () => {
      const other = await world.ingest();
      const file = await ingest.created();
      const { versionId } = await ingest.upload(file);
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? ingest : other).confirm(file, versionId)));
      expect(new Set(answers.map((answer) => `${answer.state} ${answer.generation} ${answer.etag}`)).size).toBe(1);
      expect(await world.row(file.name)).toMatchObject({ generation: 1, revision: 2n });
    });

    test('of two versions confirmed at once one counts, and the other is a conflict', async () => {
      const file = await ingest.created();
      const [a, b] = [await ingest.upload(file), await ingest.upload(file)];
      const results = await Promise.allSettled([ingest.confirm(file, a.versionId), ingest.confirm(file, b.versionId)]);
      expect(results.map(({ status: how }) => how).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(results.find((result) => result.status === 'rejected')?.reason).toMatchObject({ code: status.ABORTED, reason: 'VERSION_CONFLICT' });
    });

    test('refuses a version that was never uploaded, or belongs to another file', async () => {
      const [file, other] = [await ingest.created(), await ingest.created()];
      const elsewhere = await ingest.upload(other);
      for (const versionId of [elsewhere.versionId, 'no-such-version', '../../x']) {
        await expect(ingest.confirm(file, versionId)).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'VERSION_NOT_FOUND' });
      }
      expect((await ingest.get(file)).state).toBe(FileState.PENDING);
    });

    test('refuses another size or digest than the caller gave, at first and at a repeat', async () => {
      const file = await ingest.created();
      const { versionId, sizeBytes } = await ingest.upload(file);
      const wrongSize = { name: file.name, versionId, sizeBytes: sizeBytes + 1n, sha256: none };
      const wrongSum = { name: file.name, versionId, sizeBytes, sha256: Buffer.alloc(32) };
      for (const confirmed of [false, true]) {
        if (confirmed) await ingest.confirm(file, versionId);
        await expect(ingest.client.confirmFile(wrongSize)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'SIZE_MISMATCH' });
        await expect(ingest.client.confirmFile(wrongSum)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'CHECKSUM_MISMATCH' });
      }
    });

    test('refuses an empty upload and one beyond the limit', async () => {
      const file = await ingest.created();
      const empty = await ingest.upload(file, none);
      await expect(ingest.confirm(file, empty.versionId)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_EMPTY' });
      // As by a signed URL of a store that does not enforce the limit.
      const large = await world.store.put(`uploads/team-a/${file.name.split('/')[3]}`, one(Buffer.alloc(100_001)), { contentType: 'image/jpeg' });
      await expect(ingest.confirm(file, large.versionId)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_TOO_LARGE' });
    });

    test('is refused for a card whose time is up, before and after the expiry duty has seen it', async () => {
      const file = await ingest.created();
      const { versionId } = await ingest.upload(file);
      await world.age(file, 25 * 60 * 60 * 1000);
      await expect(ingest.confirm(file, versionId)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_PENDING' });
      await ingest.run('expiry');
      await expect(ingest.confirm(file, versionId)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'FILE_NOT_PENDING' });
      expect((await ingest.get(file)).state).toBe(FileState.EXPIRED);
    });

    test('needs a version, and names what is wrong with the rest', async () => {
      const file = await ingest.created();
      await expect(ingest.confirm(file, '')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'version_id' }] });
      await expect(ingest.client.confirmFile({ name: file.name, versionId: 'v', sizeBytes: 0n, sha256: Buffer.alloc(31) })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'sha256' }] });
      await expect(ingest.client.confirmFile({ name: 'files/x', versionId: 'v', sizeBytes: 0n, sha256: none })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'name' }] });
    });
  });
});
