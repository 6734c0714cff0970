import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Authority, writeCertificateFolder, type CertificateAndKey } from '@leasehold/development-ca';
import { CreateFileRequest, DownloadFileRequest, FileServiceService, GetDownloadUrlRequest, ImportServiceService, StockServiceService } from '@leasehold/ingest-v1';
import { CallerLimiter, createClient, defaultCallerLimits, Fault, GrpcServer, readImage, status, type ClientOf } from '@leasehold/rpc';
import { Certificates, createLogger, OpsServer } from '@leasehold/service';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileService } from '../files/rpc.js';
import { callerRoutes } from '../http/edge.js';
import { fileRoutes } from '../http/files.js';
import { importRoutes } from '../http/imports.js';
import { stockRoutes } from '../http/stock.js';
import { importService } from '../imports/rpc.js';
import { stockService } from '../stock/rpc.js';
import { shipment, submissionOf, uploadOf, World, type Running } from '../testbed/ingest.fixture.js';

const who = ['client/team-a', 'client/team-b', 'client/team-b/team-a', 'operator/ada', 'ingest/main', 'worker/image/one', 'coordinator/one'] as const;
type Who = (typeof who)[number];
interface Clients {
  readonly files: ClientOf<typeof FileServiceService>;
  readonly imports: ClientOf<typeof ImportServiceService>;
  readonly stock: ClientOf<typeof StockServiceService>;
}

const authority = await Authority.create();
const logger = createLogger({ service: 'ingest-test', level: 'silent' });
const ends: (() => unknown)[] = [];
const clients = new Map<Who, Clients>();
const papers = new Map<Who, CertificateAndKey>();
let world: World;
let ingest: Running;
let http: OpsServer;

beforeAll(async () => {
  world = await World.make();
  ingest = await world.ingest();
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-ingest-access-'));
  ends.push(() => world.end(), () => rm(folder, { recursive: true }));
  const certificates = async (name: string, issued: CertificateAndKey): Promise<Certificates> => {
    const opened = Certificates.open(await writeCertificateFolder(join(folder, name.replaceAll('/', '.')), issued, authority));
    ends.push(() => opened.stop());
    return opened;
  };
  const own = await certificates('server', await authority.issue({ uris: ['spiffe://leasehold/ingest/tested'], hosts: ['127.0.0.1'] }));
  const grpc = new GrpcServer({
    host: '127.0.0.1', port: 0, logger, registry: new Registry(), certificates: own, services: [fileService(ingest.ingest.files), importService(ingest.ingest.imports), stockService(ingest.ingest.stock)],
    images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))],
  });
  http = new OpsServer({ host: '127.0.0.1', port: 0, logger, registry: new Registry(), certificates: own, readiness: async () => [] }).register(callerRoutes({ logger, callers: new CallerLimiter(defaultCallerLimits) }, [fileRoutes(ingest.ingest.files), importRoutes(ingest.ingest.imports), stockRoutes(ingest.ingest.stock)]));
  for (const server of [grpc, http]) {
    await server.start();
    ends.push(() => server.stop(AbortSignal.abort()));
  }
  for (const name of who) {
    const issued = await authority.issue({ uris: [`spiffe://leasehold/${name}`] });
    const tls = { certificates: await certificates(name, issued), server: 'ingest' } as const;
    const own = { files: createClient(FileServiceService, grpc.address, { tls }), imports: createClient(ImportServiceService, grpc.address, { tls }), stock: createClient(StockServiceService, grpc.address, { tls }) };
    ends.push(() => [own.files, own.imports, own.stock].forEach((client) => client.close()));
    clients.set(name, own);
    papers.set(name, issued);
  }
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const owners: readonly Who[] = ['client/team-a', 'client/team-b/team-a'];
const readers: readonly Who[] = [...owners, 'operator/ada'];
const name = 'namespaces/team-a/files/none';
const batch = 'namespaces/team-a/imports/none';
const page = { parent: 'namespaces/team-a', pageSize: 0, pageToken: '' };

/** A method on team-a, and who may call it; nobody else may. */
const table: readonly (readonly [method: string, call: (clients: Clients) => Promise<unknown>, allowed: readonly Who[]])[] = [
  ['createFile', ({ files }) => files.createFile(CreateFileRequest.create({ parent: 'namespaces/team-a', fileId: 'one', options: undefined })), owners],
  ['uploadFile', ({ files }) => files.uploadFile(uploadOf(name, Buffer.from('photo'))), owners],
  ['confirmFile', ({ files }) => files.confirmFile({ name, versionId: 'v', sizeBytes: 0n, sha256: Buffer.alloc(0) }), owners],
  ['getFile', ({ files }) => files.getFile({ name }), readers],
  ['listFiles', ({ files }) => files.listFiles({ parent: 'namespaces/team-a', pageSize: 0, pageToken: '', states: [] }), readers],
  ['watchFile', ({ files }) => files.watchFile({ name })[Symbol.asyncIterator]().next(), readers],
  ['downloadFile', ({ files }) => files.downloadFile(DownloadFileRequest.create({ name }))[Symbol.asyncIterator]().next(), owners],
  ['getDownloadUrl', ({ files }) => files.getDownloadUrl(GetDownloadUrlRequest.create({ name })), owners],
  ['retryFile', ({ files }) => files.retryFile({ name, etag: 'e' }), owners],
  ['deleteFile', ({ files }) => files.deleteFile({ name }), owners],
  ['submitImport', ({ imports }) => imports.submitImport(submissionOf({ importId: 'one' }, [Buffer.from(shipment)])), owners],
  ['getImport', ({ imports }) => imports.getImport({ name: batch }), readers],
  ['listImports', ({ imports }) => imports.listImports({ ...page, states: [] }), readers],
  ['listImportRowErrors', ({ imports }) => imports.listImportRowErrors({ ...page, parent: batch }), readers],
  ['watchImport', ({ imports }) => imports.watchImport({ name: batch })[Symbol.asyncIterator]().next(), readers],
  ['cancelImport', ({ imports }) => imports.cancelImport({ name: batch }), owners],
  ['retryImport', ({ imports }) => imports.retryImport({ name: batch, etag: 'e' }), owners],
  ['getStock', ({ stock }) => stock.getStock({ parent: page.parent, skus: ['A'], warehouse: '' }), owners],
  ['listStock', ({ stock }) => stock.listStock({ ...page, skuPrefix: '', warehouse: '' }), owners],
];

const by = (name: Who): Clients => {
  const client = clients.get(name);
  if (client === undefined) throw new Error(name);
  return client;
};

const outcomeOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'allowed', (error: unknown) => {
  if (!(error instanceof Fault)) throw error;
  return error.code === status.PERMISSION_DENIED && error.domain === 'ingest.leasehold' ? error.reason : 'allowed';
});

describe('the table of who may call what', () => {
  test('names every method', () => {
    expect(table.map(([method]) => method).toSorted()).toEqual([FileServiceService, ImportServiceService, StockServiceService].flatMap((service) => Object.keys(service)).toSorted());
  });

  test('nobody whom it does not name has made, changed or stored anything', async () => {
    for (const [, call, allowed] of table) for (const name of who) if (!allowed.includes(name)) await outcomeOf(call(by(name)));
    expect((await world.db.pool.query('select from files union all select from imports union all select from import_jobs')).rowCount).toBe(0);
    expect(await world.keys()).toEqual([]);
  });

  test('an object of another namespace is nobody\'s to hand over, whoever owns what', async () => {
    const stolen = by('client/team-b').imports.submitImport(submissionOf({ parent: 'namespaces/team-b', importId: 'mine', object: { key: 'uploads/team-a/theirs', versionId: 'v' } }, []));
    await expect(stolen).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'spec.object.key' }] });
  });

  test.for(table.flatMap(([method, call, allowed]) => who.map((name) => ({ method, call, name, may: allowed.includes(name) }))))('$method on team-a by $name: $may', async ({ call, name, may }) => {
    expect(await outcomeOf(call(by(name)))).toEqual(may ? 'allowed' : expect.stringMatching(/^(ROLE_NOT_ALLOWED|NAMESPACE_NOT_OWN)$/));
  });
});

describe('over HTTP the same table counts', () => {
  const ask = (method: 'GET' | 'POST', path: string, as?: Who): Promise<{ code: number | undefined; body: unknown }> => new Promise((resolve, reject) => {
    const [host, port] = http.address.split(':');
    const own = as === undefined ? undefined : papers.get(as);
    httpsRequest({ host, port, method, path, agent: false, ca: authority.certificate, cert: own?.certificate, key: own?.key, headers: { 'content-type': 'application/json' } }, (answer) => {
      json(answer).then((body) => resolve({ code: answer.statusCode, body }), reject);
    }).on('error', reject).end(method === 'POST' ? '{"versionId":"v"}' : undefined);
  });

  test('owners and operators look, owners confirm', async () => {
    expect(await ask('GET', `/v1/${name}`, 'client/team-a')).toMatchObject({ code: 404 });
    expect(await ask('GET', `/v1/${name}`, 'operator/ada')).toMatchObject({ code: 404 });
    expect(await ask('POST', `/v1/${name}:confirm`, 'client/team-a')).toMatchObject({ code: 404 });
    expect(await ask('POST', `/v1/${name}:confirm`, 'operator/ada')).toMatchObject({ code: 403, body: { error: { reason: 'ROLE_NOT_ALLOWED' } } });
    expect(await ask('GET', `/v1/${name}`, 'client/team-b')).toMatchObject({ code: 403, body: { error: { reason: 'NAMESPACE_NOT_OWN' } } });
  });

  test('owners hand shipments over and read stock, operators look at imports, others get nothing', async () => {
    const imports = '/v1/namespaces/team-a/imports';
    expect(await ask('POST', `${imports}?import_id=by-others`, 'client/team-b')).toMatchObject({ code: 403, body: { error: { reason: 'NAMESPACE_NOT_OWN' } } });
    expect(await ask('POST', `${imports}?import_id=by-others`, 'operator/ada')).toMatchObject({ code: 403, body: { error: { reason: 'ROLE_NOT_ALLOWED' } } });
    expect(await ask('GET', `${imports}/by-others`, 'client/team-a')).toMatchObject({ code: 404 });
    expect(await ask('POST', `${imports}?import_id=over-http`, 'client/team-a')).toMatchObject({ code: 202 });
    for (const path of [imports, `${imports}/over-http`, `${imports}/over-http/rowErrors`]) {
      expect(await ask('GET', path, 'operator/ada')).toMatchObject({ code: 200 });
      expect(await ask('GET', path, 'client/team-b')).toMatchObject({ code: 403, body: { error: { reason: 'NAMESPACE_NOT_OWN' } } });
    }
    for (const verb of ['cancel', 'retry']) expect(await ask('POST', `${imports}/over-http:${verb}`, 'operator/ada')).toMatchObject({ code: 403 });
    for (const path of ['/v1/namespaces/team-a/stock', '/v1/namespaces/team-a/stock:get?skus=A']) {
      expect(await ask('GET', path, 'client/team-a')).toMatchObject({ code: 200 });
      expect(await ask('GET', path, 'client/team-b')).toMatchObject({ code: 403 });
      expect(await ask('GET', path, 'operator/ada')).toMatchObject({ code: 403, body: { error: { reason: 'ROLE_NOT_ALLOWED' } } });
      expect(await ask('GET', path)).toMatchObject({ code: 401 });
    }
  });

  test('a caller that asks too often hears when to come back', async () => {
    const narrow = new CallerLimiter({ maxCalls: 10, maxStreams: 1, callsPerSecond: 1 });
    const plain = new OpsServer({ host: '127.0.0.1', port: 0, logger, registry: new Registry(), readiness: async () => [] }).register(callerRoutes({ logger, callers: narrow }, [fileRoutes(ingest.ingest.files)]));
    await plain.start();
    const codes = [];
    for (let asked = 0; asked < 3; asked++) codes.push(await fetch(`http://${plain.address}/v1/${name}`));
    expect(codes.map(({ status: code }) => code)).toEqual([404, 404, 429]);
    expect(codes[2]?.headers.get('retry-after')).toBe('1');
    expect(await codes[2]?.json()).toMatchObject({ error: { reason: 'CALLER_RATE' } });
    await plain.stop(AbortSignal.abort());
  });

  test('whoever shows no certificate is nobody, but may ask whether the process lives', async () => {
    expect(await ask('GET', `/v1/${name}`)).toMatchObject({ code: 401, body: { error: { reason: 'IDENTITY_MISSING' } } });
    expect(await ask('POST', `/v1/${name}:confirm`)).toMatchObject({ code: 401 });
    expect(await ask('GET', '/livez')).toMatchObject({ code: 200 });
  });
});
