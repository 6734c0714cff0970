import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnimationPolicy, type ConfirmFileRequest, type CreateFileRequest, File, FileServiceService, FileState, RenditionFormat } from '@leasehold/ingest-v1';
import { faults, GrpcServer, readImage, service, type HandlersOf } from '@leasehold/rpc';
import { createLogger, createRegistry } from '@leasehold/service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FilesClient, isFault, isFinal } from './index.js';

const fault = faults('ingest.leasehold');
const card = (state: FileState, etag: string): File => File.create({ name: 'namespaces/default/files/a', state, etag });
const bytes = Buffer.from('not a picture, but bytes');
const rendition = { contentType: 'image/webp', sizeBytes: BigInt(bytes.length), sha256: createHash('sha256').update(bytes).digest(), width: 1, height: 1, key: 'k', versionId: 'v', fence: 1n, sourceWidth: 1, sourceHeight: 1, name: 'photo', frames: 1 };

let folder: string;
let client: FilesClient;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leasehold-client-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await rm(folder, { recursive: true });
});

const unexpected = (): never => {
  throw fault.unimplemented();
};

/** Ingest's edge on a real server, with the handlers that a test scripts. */
async function serve(handlers: Partial<HandlersOf<typeof FileServiceService>>, port = 0): Promise<GrpcServer> {
  const all: HandlersOf<typeof FileServiceService> = {
    createFile: unexpected, uploadFile: unexpected, confirmFile: unexpected, getFile: unexpected, listFiles: unexpected, watchFile: unexpected, downloadFile: unexpected,
    getDownloadUrl: unexpected, retryFile: unexpected, deleteFile: unexpected, ...handlers,
  };
  const logger = createLogger({ service: 'test', level: 'fatal' });
  const server = new GrpcServer({
    host: '127.0.0.1', port, services: [service(FileServiceService, all, { domain: 'ingest.leasehold' })],
    images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))], logger, registry: createRegistry('test'),
  });
  await server.start();
  stops.push(() => server.stop(AbortSignal.timeout(1_000)));
  return server;
}

function connect(server: GrpcServer): FilesClient {
  client = new FilesClient({ address: server.address });
  stops.push(async () => client.close());
  return client;
}

test('a photo is created under an id of the client, uploaded, and confirmed with size and SHA-256 as sent', async () => {
  const created: CreateFileRequest[] = [];
  const confirmed: ConfirmFileRequest[] = [];
  const chunks: Buffer[] = [];
  const server = await serve({
    createFile: async (request) => {
      created.push(request);
      return { file: card(FileState.PENDING, '1'), uploadTarget: undefined };
    },
    uploadFile: async (requests) => {
      for await (const { part } of requests) if (part?.$case === 'chunk') chunks.push(part.value);
      return { versionId: 'v1', sizeBytes: 0n, sha256: Buffer.alloc(0) };
    },
    confirmFile: async (request) => {
      confirmed.push(request);
      return { file: card(FileState.QUEUED, '2') };
    },
  });
  const path = join(folder, 'photo.jpg');
  const content = Buffer.alloc(200_000, 'photo');
  await writeFile(path, content);
  const file = await connect(server).uploadPhoto(path, { options: { quality: 70 } });
  expect(file.state).toBe(FileState.QUEUED);
  expect(created[0]).toMatchObject({ parent: 'namespaces/default', options: { quality: 70, maxWidth: 0 } });
  expect(created[0]?.fileId).toMatch(/^[0-9a-f-]{36}$/);
  expect(Buffer.concat(chunks).equals(content)).toBe(true);
  expect(confirmed).toEqual([{ name: 'namespaces/default/files/a', versionId: 'v1', sizeBytes: 200_000n, sha256: createHash('sha256').update(content).digest() }]);
});

test('a create whose server was away is repeated with the same id', async () => {
  const ids: string[] = [];
  const server = await serve({
    createFile: async ({ fileId }) => {
      ids.push(fileId);
      if (ids.length === 1) throw fault.unavailable('STARTING', 'not yet', 1);
      return { file: card(FileState.PENDING, '1'), uploadTarget: undefined };
    },
  });
  await connect(server).create();
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test('an upload that broke is sent again from its beginning', async () => {
  let calls = 0;
  const server = await serve({
    uploadFile: async (requests) => {
      calls++;
      const received: Buffer[] = [];
      for await (const { part } of requests) {
        if (calls === 1) throw fault.unavailable('DRAINING', 'going away', 1);
        if (part?.$case === 'chunk') received.push(part.value);
      }
      return { versionId: Buffer.concat(received).toString(), sizeBytes: 0n, sha256: Buffer.alloc(0) };
    },
  });
  const uploaded = await connect(server).upload('namespaces/default/files/a', async function* () {
    yield Buffer.from('one');
    yield Buffer.from('two');
  });
  expect(uploaded).toMatchObject({ versionId: 'onetwo', sizeBytes: 6n });
  expect(calls).toBe(2);
});

test('faults carry their reason, and a wrong call is not repeated', async () => {
  let calls = 0;
  const server = await serve({
    getFile: async ({ name }) => {
      calls++;
      throw fault.notFound('FILE_NOT_FOUND', `${name} does not exist`, { name });
    },
  });
  const error: unknown = await connect(server).get('namespaces/default/files/gone').catch((e: unknown) => e);
  expect(isFault(error, 'FILE_NOT_FOUND')).toBe(true);
  expect(isFault(error, 'FILE_EXISTS')).toBe(false);
  expect(error).toMatchObject({ metadata: { name: 'namespaces/default/files/gone' } });
  expect(calls).toBe(1);
});

test('a watch goes on over a broken stream and a drained server, shows nothing twice and ends with the final state', async () => {
  let calls = 0;
  const server = await serve({
    watchFile: async function* () {
      calls++;
      if (calls === 1) {
        yield { file: card(FileState.QUEUED, '1') };
        yield { file: card(FileState.PROCESSING, '1') };
        throw fault.unavailable('DRAINING', 'going away');
      }
      yield { file: card(FileState.PROCESSING, '1') };
      if (calls === 2) return;
      yield { file: card(FileState.READY, '2') };
    },
  });
  const shown: FileState[] = [];
  const last = await connect(server).waitUntilFinal('namespaces/default/files/a', { onChange: (file) => shown.push(file.state) });
  expect(shown).toEqual([FileState.QUEUED, FileState.PROCESSING, FileState.READY]);
  expect(isFinal(last)).toBe(true);
  expect(calls).toBe(3);
});

test('a watch of an unknown file fails instead of waiting', async () => {
  const server = await serve({
    watchFile: async function* ({ name }) {
      if (name !== '') throw fault.notFound('FILE_NOT_FOUND', 'no such file');
      yield { file: undefined };
    },
  });
  await expect(connect(server).waitUntilFinal('namespaces/default/files/a')).rejects.toMatchObject({ reason: 'FILE_NOT_FOUND' });
});

test('a watch ends when its signal fires', async () => {
  const server = await serve({
    watchFile: async function* (_request, call) {
      yield { file: card(FileState.QUEUED, '1') };
      await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
    },
  });
  const abort = new AbortController();
  const watching = connect(server).waitUntilFinal('namespaces/default/files/a', { signal: abort.signal, onChange: () => abort.abort(new Error('enough')) });
  await expect(watching).rejects.toThrow();
});

test('a download is written whole or not at all', async () => {
  let damaged = false;
  const server = await serve({
    downloadFile: async function* () {
      yield { part: { $case: 'rendition', value: rendition } };
      yield { part: { $case: 'chunk', value: bytes.subarray(0, 5) } };
      yield { part: { $case: 'chunk', value: damaged ? Buffer.alloc(bytes.length - 5) : bytes.subarray(5) } };
    },
  });
  const path = join(folder, 'a.webp');
  await connect(server).downloadTo('namespaces/default/files/a', path);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  damaged = true;
  await expect(client.downloadTo('namespaces/default/files/a', join(folder, 'b.webp'))).rejects.toThrow('not the rendition');
  expect(await readdir(folder)).toEqual(['a.webp']);
});

test('several renditions are asked for by name, and each is fetched by its name', async () => {
  const created: CreateFileRequest[] = [];
  const wanted: string[] = [];
  const server = await serve({
    createFile: async (request) => {
      created.push(request);
      return { file: card(FileState.PENDING, '1'), uploadTarget: undefined };
    },
    downloadFile: async function* (request) {
      wanted.push(request.rendition);
      yield { part: { $case: 'rendition', value: rendition } };
      yield { part: { $case: 'chunk', value: bytes } };
    },
    getDownloadUrl: async (request) => {
      wanted.push(request.rendition);
      return { url: 'https://x', expireTime: undefined };
    },
  });
  const files = connect(server);
  await files.create({ renditions: [{ name: 'page' }, { name: 'card', format: RenditionFormat.JPEG, maxWidth: 64 }], placeholder: true, animation: AnimationPolicy.KEEP });
  expect(created[0]).toMatchObject({ options: undefined, renditions: [{ name: 'page', maxWidth: 0 }, { name: 'card', format: RenditionFormat.JPEG, maxWidth: 64 }], wantsPlaceholder: true, animation: AnimationPolicy.KEEP });
  await files.downloadTo('namespaces/default/files/a', join(folder, 'card.jpg'), { rendition: 'card' });
  await files.downloadTo('namespaces/default/files/a', join(folder, 'page.webp'));
  await files.downloadUrl('namespaces/default/files/a', { rendition: 'card' });
  expect(wanted).toEqual(['card', '', 'card']);
});

test('a list reads on over its pages', async () => {
  const server = await serve({
    listFiles: async ({ pageToken }) => ({ files: [card(FileState.READY, pageToken)], nextPageToken: pageToken === '' ? 'two' : '' }),
  });
  const etags: string[] = [];
  for await (const file of connect(server).list()) etags.push(file.etag);
  expect(etags).toEqual(['', 'two']);
});
