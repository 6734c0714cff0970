import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { GetStockResponse, Import, ImportLayout, ImportMode, ImportReport, ImportServiceService, ImportState, ListStockResponse, RowError, StockServiceService, SubmitImportResponse, type ImportSpec } from '@leasehold/ingest-v1';
import { faults, GrpcServer, readImage, service, type HandlersOf } from '@leasehold/rpc';
import { createLogger, createRegistry } from '@leasehold/service';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImportsClient, isEnded, isFault } from './index.js';

const fault = faults('ingest.leasehold');
const name = 'namespaces/default/imports/a';
const batch = (state: ImportState, etag: string, rows?: bigint): Import => Import.create({ name, state, etag, progress: rows === undefined ? undefined : { rows } });
const csv = Buffer.from('sku,quantity\nA,1\n'.repeat(40_000));
const digest = createHash('sha256').update(csv).digest();

let folder: string;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leasehold-imports-client-'));
});
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await rm(folder, { recursive: true });
});

const unexpected = (): never => {
  throw fault.unimplemented();
};

/** Ingest's edge on a real server, with the handlers that a test scripts, and a client of it. */
async function connect(imports: Partial<HandlersOf<typeof ImportServiceService>>, stock: Partial<HandlersOf<typeof StockServiceService>> = {}): Promise<ImportsClient> {
  const allImports: HandlersOf<typeof ImportServiceService> = {
    submitImport: unexpected, getImport: unexpected, listImports: unexpected, listImportRowErrors: unexpected, watchImport: unexpected, cancelImport: unexpected, retryImport: unexpected, ...imports,
  };
  const allStock: HandlersOf<typeof StockServiceService> = { getStock: unexpected, listStock: unexpected, ...stock };
  const server = new GrpcServer({
    host: '127.0.0.1', port: 0, logger: createLogger({ service: 'test', level: 'fatal' }), registry: createRegistry('test'), images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))],
    services: [service(ImportServiceService, allImports, { domain: 'ingest.leasehold' }), service(StockServiceService, allStock, { domain: 'ingest.leasehold' })],
  });
  await server.start();
  const client = new ImportsClient({ address: server.address });
  stops.push(() => server.stop(AbortSignal.timeout(1_000)), async () => client.close());
  return client;
}

const all = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

interface Taken {
  spec: ImportSpec | undefined;
  bytes: Buffer;
}

/** Takes a submission whole; the first `lost` ones break off in the middle. */
function taking(lost = 0): { submissions: Taken[]; submitImport: HandlersOf<typeof ImportServiceService>['submitImport'] } {
  const submissions: Taken[] = [];
  return {
    submissions,
    submitImport: async (requests) => {
      const taken: Taken = { spec: undefined, bytes: Buffer.alloc(0) };
      submissions.push(taken);
      const chunks: Buffer[] = [];
      for await (const { part } of requests) {
        if (part?.$case === 'spec') taken.spec = part.value;
        if (part?.$case === 'chunk') chunks.push(Buffer.from(part.value));
        if (chunks.length > 0 && submissions.length <= lost) throw fault.unavailable('DRAINING', 'going away', 1);
      }
      taken.bytes = Buffer.concat(chunks);
      return SubmitImportResponse.create(taken.spec?.validateOnly === true ? { report: ImportReport.create({ acceptable: true }) } : { import: batch(ImportState.ACCEPTED, '1') });
    },
  };
}

test.each(['a path', 'bytes', 'a stream'])('%s is handed over whole under its batch id, with the SHA-256 before the first byte', async (kind) => {
  const { submissions, submitImport } = taking();
  const client = await connect({ submitImport });
  const path = join(folder, 'delivery.csv');
  await writeFile(path, csv);
  const source = kind === 'a path' ? path : kind === 'bytes' ? csv : Readable.from([csv.subarray(0, 100), csv.subarray(100)]);
  expect(await client.submit('delivery-7', source, { charset: 'windows-1251' })).toMatchObject({ state: ImportState.ACCEPTED });
  expect(submissions).toHaveLength(1);
  expect(submissions[0]?.spec).toEqual({ parent: 'namespaces/default', importId: 'delivery-7', charset: 'windows-1251', validateOnly: false, sha256: digest, object: undefined, mode: ImportMode.UNSPECIFIED, layout: ImportLayout.UNSPECIFIED });
  expect(submissions[0]?.bytes.equals(csv)).toBe(true);
  expect((await readdir(tmpdir())).filter((file) => file.startsWith('leasehold-shipment-'))).toEqual([]);
});

test.each([['bytes', () => csv], ['a stream', () => Readable.from([csv])]] as const)('a submission of %s that broke off is repeated from its beginning under the same id', async (_, source) => {
  const { submissions, submitImport } = taking(2);
  await (await connect({ submitImport })).submit('delivery-8', source());
  expect(submissions.map(({ spec }) => spec?.importId)).toEqual(['delivery-8', 'delivery-8', 'delivery-8']);
  expect(submissions[2]?.bytes.equals(csv)).toBe(true);
});

test('an object that lies in the store is named, and no bytes are sent', async () => {
  const { submissions, submitImport } = taking(0);
  await (await connect({ submitImport })).submitObject('delivery-9', { key: 'uploads/default/list', versionId: 'v1' });
  expect(submissions).toMatchObject([{ spec: { importId: 'delivery-9', object: { key: 'uploads/default/list', versionId: 'v1' } }, bytes: Buffer.alloc(0) }]);
});

test('a file is looked at without an id', async () => {
  const { submissions, submitImport } = taking(0);
  expect(await (await connect({ submitImport })).validate(csv)).toMatchObject({ acceptable: true });
  expect(submissions[0]?.spec).toMatchObject({ validateOnly: true, importId: '' });
});

test('a conflict is told with its reason and both digests, and is not repeated', async () => {
  let calls = 0;
  const client = await connect({
    submitImport: async () => {
      calls++;
      throw fault.alreadyExists('IMPORT_EXISTS', 'other content', { digest: 'aa', existing_digest: 'bb' });
    },
  });
  const error: unknown = await client.submit('delivery-9', csv).catch((e: unknown) => e);
  expect(isFault(error, 'IMPORT_EXISTS')).toBe(true);
  expect(error).toMatchObject({ metadata: { digest: 'aa', existing_digest: 'bb' } });
  expect(calls).toBe(1);
});

test('a watch goes on over a broken stream and a drained server, shows rows as they come and nothing twice, and ends with the import', async () => {
  let calls = 0;
  const client = await connect({
    watchImport: async function* () {
      calls++;
      if (calls === 1) {
        yield { import: batch(ImportState.ACCEPTED, '1') };
        yield { import: batch(ImportState.PROCESSING, '1', 10n) };
        throw fault.unavailable('DRAINING', 'going away');
      }
      yield { import: batch(ImportState.PROCESSING, '1', 10n) };
      if (calls === 2) return;
      yield { import: batch(ImportState.PROCESSING, '1', 20n) };
      yield { import: batch(ImportState.APPLIED, '2') };
    },
  });
  const shown: unknown[] = [];
  const ended = await client.waitUntilEnded(name, { onChange: ({ state, progress }) => shown.push([state, progress?.rows]) });
  expect(shown).toEqual([[ImportState.ACCEPTED, undefined], [ImportState.PROCESSING, 10n], [ImportState.PROCESSING, 20n], [ImportState.APPLIED, undefined]]);
  expect([isEnded(ended), calls]).toEqual([true, 3]);
});

test('the journal, row errors and stock are read on over their pages', async () => {
  const client = await connect(
    {
      listImports: async ({ pageToken, parent, states }) => ({ imports: [Import.create({ name: parent, etag: `${pageToken}${states.join()}` })], nextPageToken: pageToken === '' ? 'two' : '' }),
      listImportRowErrors: async ({ pageToken, parent }) => ({ rowErrors: [RowError.create({ message: `${parent}${pageToken}` })], nextPageToken: pageToken === '' ? 'two' : '' }),
    },
    {
      getStock: async ({ skus }) => GetStockResponse.create({ items: [{ sku: 'A', quantity: 2n, updateTime: undefined }], missing: skus.slice(1), catalogue: { generation: 3n, tag: 't' } }),
      listStock: async ({ pageToken, skuPrefix }) => ListStockResponse.create({ items: [{ sku: `${skuPrefix}${pageToken}`, quantity: 1n, updateTime: undefined }], nextPageToken: pageToken === '' ? 'two' : '' }),
    },
  );
  expect((await all(client.list({ states: [ImportState.REJECTED] }))).map(({ etag }) => etag)).toEqual(['4', 'two4']);
  expect((await all(client.rowErrors(name))).map(({ message }) => message)).toEqual([name, `${name}two`]);
  expect((await all(client.listStock({ skuPrefix: 'x' }))).map(({ sku }) => sku)).toEqual(['x', 'xtwo']);
  expect(await client.stock(['A', 'B'])).toMatchObject({ items: [{ sku: 'A', quantity: 2n }], missing: ['B'], catalogue: { generation: 3n } });
});

test('cancel and retry say which import they mean, and are repeated while the server is away', async () => {
  const asked: unknown[] = [];
  const once = new Set<string>();
  const away = (method: string): void => {
    if (once.has(method)) return;
    once.add(method);
    throw fault.unavailable('STARTING', 'not yet', 1);
  };
  const client = await connect({
    cancelImport: async (request) => {
      asked.push(request);
      away('cancel');
      return { import: batch(ImportState.CANCELLED, '2') };
    },
    retryImport: async (request) => {
      asked.push(request);
      away('retry');
      return { import: batch(ImportState.ACCEPTED, '3') };
    },
  });
  expect((await client.cancel(client.nameOf('a'))).state).toBe(ImportState.CANCELLED);
  expect((await client.retry(batch(ImportState.REJECTED, 'e7'))).etag).toBe('3');
  expect(asked).toEqual([{ name }, { name }, { name, etag: 'e7' }, { name, etag: 'e7' }]);
});

test('mode and layout are handed over, also of an object and of a look at a file; stock is asked for in the warehouse that is named, or in the default one', async () => {
  const { submissions, submitImport } = taking();
  const asked: string[] = [];
  const client = await connect({ submitImport }, {
    getStock: async ({ warehouse }) => {
      asked.push(warehouse);
      return GetStockResponse.create({});
    },
    listStock: async ({ warehouse }) => {
      asked.push(warehouse);
      return ListStockResponse.create({});
    },
  });
  const options = { mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES };
  await client.submit('count-7', csv, options);
  await client.submitObject('count-8', { key: 'uploads/default/x', versionId: 'v' }, options);
  await client.validate(csv, options).catch(() => undefined);
  expect(submissions.map(({ spec }) => [spec?.mode, spec?.layout])).toEqual(submissions.map(() => [ImportMode.PARTIAL, ImportLayout.WAREHOUSES]));
  expect(submissions.length).toBe(3);
  await client.stock(['A'], { warehouse: 'north' });
  await client.stock(['A']);
  await all(client.listStock({ warehouse: 'south' }));
  await all(client.listStock());
  expect(asked).toEqual(['north', '', 'south', '']);
});
