import { CreateFileRequest, FileState, GetDownloadUrlRequest, type UploadTarget } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { present, sha256, World, type Running } from '../testbed/ingest.fixture.js';

describe('the HTTP edge', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest({ env: { LEASEHOLD_MAX_UPLOAD_BYTES: '200000' } });
  });
  afterAll(() => world.end());

  /** A signed URL at the port that this test's server has. */
  const here = (url: string): string => {
    const at = new URL(url);
    return `${ingest.http}${at.pathname}${at.search}`;
  };
  const put = (target: UploadTarget, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Promise<Response> => fetch(here(target.url), { method: 'PUT', body, headers: { ...target.headers, ...headers } });
  const card = async (): Promise<{ name: string; target: UploadTarget }> => {
    const { file, uploadTarget } = await ingest.client.createFile(CreateFileRequest.create({ parent: 'namespaces/team-a', fileId: '', options: undefined }));
    return { name: present(file).name, target: present(uploadTarget) };
  };
  const confirm = (name: string, body: object): Promise<Response> => fetch(`${ingest.http}/v1/${name}:confirm`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  /** A READY card with these bytes. */
  async function ready(bytes: Buffer): Promise<string> {
    const { file, job } = await ingest.relayed();
    const fence = world.coordinator.grant(job);
    world.coordinator.finish(job, { state: JobState.SUCCEEDED, result: await world.render(file.name, fence, bytes) });
    await ingest.run('outcomes');
    return file.name;
  }

  describe('PUT of a signed upload URL', () => {
    test('stores the bytes and names the version, which can be confirmed', async () => {
      const { name, target } = await card();
      const bytes = Buffer.alloc(150_000, 'jpeg');
      const answer = await put(target, bytes, { 'content-type': 'image/jpeg' });
      expect(answer.status).toBe(200);
      const versionId = present(answer.headers.get('x-leasehold-version-id') ?? undefined);
      const { file } = await ingest.client.confirmFile({ name, versionId, sizeBytes: 150_000n, sha256: sha256(bytes) });
      expect(file).toMatchObject({ state: FileState.QUEUED, source: { versionId } });
    });

    test('a chunked body beyond the limit is cut off with 413, and nothing is stored', async () => {
      const { name, target } = await card();
      const large = new ReadableStream<Uint8Array>({
        pull(controller) { controller.enqueue(Buffer.alloc(64 * 1024)); },
      });
      const chunked = await fetch(here(target.url), { method: 'PUT', body: large, duplex: 'half' }).then((answer) => answer.status, () => 'connection closed');
      expect([413, 'connection closed']).toContain(chunked);
      expect((await put(target, Buffer.alloc(200_001))).status).toBe(413);
      expect((await put(target, Buffer.alloc(200_000))).status).toBe(200);
      expect(await world.keys(`uploads/team-a/${name.split('/')[3]}`)).toHaveLength(1);
    });

    test('an empty body is a version without bytes, which no confirm takes', async () => {
      const { name, target } = await card();
      const answer = await put(target, '');
      expect(answer.status).toBe(200);
      const refused = await confirm(name, { versionId: answer.headers.get('x-leasehold-version-id') });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { status: 'FAILED_PRECONDITION', reason: 'FILE_EMPTY' } });
    });

    test.each([
      ['changed', (url: string) => url.replace('max_bytes=200000', 'max_bytes=900000'), 403],
      ['for another file', (url: string) => url.replace('uploads%2Fteam-a', 'uploads%2Fteam-b'), 403],
      ['not signed at all', (url: string) => url.replace(/\?.*/, ''), 403],
      ['given another parameter', (url: string) => `${url}&admin=1`, 400],
    ])('a URL that was %s stores nothing', async (_, change, code) => {
      const { name, target } = await card();
      const answer = await put({ ...target, url: change(target.url) }, 'bytes');
      expect(answer.status).toBe(code);
      expect(await answer.text()).not.toContain('signature=');
      expect(await world.keys(`uploads/team-a/${name.split('/')[3]}`)).toEqual([]);
    });

    test('an expired URL stores nothing, and an upload URL reads nothing', async () => {
      const hasty = await world.ingest({ env: { LEASEHOLD_UPLOAD_URL_LIFE: '1ms' } });
      const { uploadTarget } = await hasty.client.createFile(CreateFileRequest.create({ parent: 'namespaces/team-a', fileId: '', options: undefined }));
      await expect.poll(async () => (await put(present(uploadTarget), 'bytes')).status).toBe(403);
      const { target } = await card();
      expect((await fetch(here(target.url))).status).toBe(403);
    });

    test('a body that breaks off leaves no version', async () => {
      const { name, target } = await card();
      const broken = new ReadableStream<Uint8Array>({
        start(controller) { controller.enqueue(Buffer.alloc(1_000)); },
        pull(controller) { controller.error(new Error('the caller went away')); },
      });
      await expect(fetch(here(target.url), { method: 'PUT', body: broken, duplex: 'half' })).rejects.toThrow();
      expect((await put(target, 'whole')).status).toBe(200);
      expect(await world.keys(`uploads/team-a/${name.split('/')[3]}`)).toHaveLength(1);
    });
  });

  describe('GET of a signed download URL', () => {
    test('streams the rendition as what it is, whatever was recorded at the upload', async () => {
      const bytes = Buffer.alloc(300_000, 'webp');
      const { url } = await ingest.client.getDownloadUrl(GetDownloadUrlRequest.create({ name: await ready(bytes) }));
      const answer = await fetch(here(url));
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({ 'content-type': 'image/webp', 'content-length': '300000', 'x-content-type-options': 'nosniff' });
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    });

    test('a version that is gone is 404, a changed URL 403', async () => {
      const name = await ready(Buffer.from('soon gone'));
      const { url } = await ingest.client.getDownloadUrl(GetDownloadUrlRequest.create({ name }));
      const { rendition } = await ingest.get(name);
      expect((await fetch(here(url.replace('image%2Fwebp', 'text%2Fhtml')))).status).toBe(403);
      await world.store.deleteVersion(present(rendition).key, present(rendition).versionId);
      expect((await fetch(here(url))).status).toBe(404);
    });
  });

  describe('POST :confirm and GET over HTTP', () => {
    test('answers 202 at once with the resource and where to look at it', async () => {
      const { name, target } = await card();
      const versionId = (await put(target, 'a photo')).headers.get('x-leasehold-version-id');
      const before = world.coordinator.calls.length;
      const answer = await confirm(name, { versionId, sizeBytes: '7', sha256: sha256(Buffer.from('a photo')).toString('base64') });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('location')).toBe(`/v1/${name}`);
      const body: unknown = await answer.json();
      expect(body).toMatchObject({ name, state: 'FILE_STATE_QUEUED', generation: 1, source: { versionId, sizeBytes: '7' } });
      expect(world.coordinator.calls.length).toBe(before);
      const look = await fetch(`${ingest.http}${answer.headers.get('location')}`);
      expect(look.status).toBe(200);
      expect(await look.json()).toEqual(body);
    });

    test('faults are JSON with the words of the gRPC edge', async () => {
      const { name, target } = await card();
      await put(target, 'a photo');
      const cases: [Promise<Response>, number, object][] = [
        [confirm(name, { versionId: 'none' }), 404, { status: 'NOT_FOUND', reason: 'VERSION_NOT_FOUND', domain: 'ingest.leasehold' }],
        [confirm(name, {}), 400, { status: 'INVALID_ARGUMENT', fieldViolations: [{ field: 'version_id' }] }],
        [confirm(name, { versionId: 'v', sizeBytes: 'many' }), 400, { status: 'INVALID_ARGUMENT' }],
        [fetch(`${ingest.http}/v1/${name}:confirm`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }), 400, { status: 'INVALID_ARGUMENT' }],
        [confirm('namespaces/team-a/files/nobody', { versionId: 'v' }), 404, { reason: 'FILE_NOT_FOUND' }],
        [fetch(`${ingest.http}/v1/namespaces/team-a/files/nobody`), 404, { reason: 'FILE_NOT_FOUND' }],
        [fetch(`${ingest.http}/v1/namespaces/TEAM/files/nobody`), 400, { reason: 'INVALID_REQUEST' }],
      ];
      for (const [call, code, error] of cases) {
        const answer = await call;
        expect(await answer.json()).toMatchObject({ error: { code, ...error } });
        expect(answer.status).toBe(code);
      }
      expect((await fetch(`${ingest.http}/v1/${name}:other`, { method: 'POST' })).status).toBe(404);
    });

    test('another version than the confirmed one is 409', async () => {
      const { name, target } = await card();
      const first = (await put(target, 'one')).headers.get('x-leasehold-version-id');
      const second = (await put(target, 'two')).headers.get('x-leasehold-version-id');
      expect((await confirm(name, { version_id: first })).status).toBe(202);
      const conflict = await confirm(name, { version_id: second });
      expect([conflict.status, await conflict.json()]).toMatchObject([409, { error: { status: 'ABORTED', reason: 'VERSION_CONFLICT' } }]);
    });
  });
});
