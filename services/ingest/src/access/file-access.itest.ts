import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { Authority, writeCertificateFolder, type CertificateAndKey } from '@leasehold/development-ca';
import { FileServiceService } from '@leasehold/ingest-v1';
import { CallerLimiter, createClient, defaultCallerLimits, Fault, GrpcServer, readImage, status, type ClientOf } from '@leasehold/rpc';
import { Certificates, createLogger, OpsServer } from '@leasehold/service';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileService } from '../files/rpc.js';
import { callerRoutes } from '../http/edge.js';
import { fileRoutes } from '../http/files.js';
import { uploadOf, World, type Running } from '../testbed/ingest.fixture.js';

const who = ['client/team-a', 'client/team-b', 'client/team-b/team-a', 'operator/ada', 'ingest/main', 'worker/image/one', 'coordinator/one'] as const;
type Who = (typeof who)[number];
type Files = ClientOf<typeof FileServiceService>;

const authority = await Authority.create();
const logger = createLogger({ service: 'ingest-test', level: 'silent' });
const ends: (() => unknown)[] = [];
const clients = new Map<Who, Files>();
const papers = new Map<Who, CertificateAndKey>();
let world: World;
let ingest: Running;
let http: OpsServer;

beforeAll(async () => {
  world = await World.make();
  ingest = await world.ingest();
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-file-access-'));
  ends.push(() => world.end(), () => rm(folder, { recursive: true }));
  const certificates = async (name: string, issued: CertificateAndKey): Promise<Certificates> => {
    const opened = Certificates.open(await writeCertificateFolder(join(folder, name.replaceAll('/', '.')), issued, authority));
    ends.push(() => opened.stop());
    return opened;
  };
  const own = await certificates('server', await authority.issue({ uris: ['spiffe://leasehold/ingest/tested'], hosts: ['127.0.0.1'] }));
  const grpc = new GrpcServer({
    host: '127.0.0.1', port: 0, logger, registry: new Registry(), certificates: own, services: [fileService(ingest.ingest.files)],
    images: [readImage(import.meta.resolve('@leasehold/ingest-v1/image.binpb'))],
  });
  http = new OpsServer({ host: '127.0.0.1', port: 0, logger, registry: new Registry(), certificates: own, readiness: async () => [] }).register(callerRoutes({ logger, callers: new CallerLimiter(defaultCallerLimits) }, [fileRoutes(ingest.ingest.files)]));
  for (const server of [grpc, http]) {
    await server.start();
    ends.push(() => server.stop(AbortSignal.abort()));
  }
  for (const name of who) {
    const issued = await authority.issue({ uris: [`spiffe://leasehold/${name}`] });
    const client = createClient(FileServiceService, grpc.address, { tls: { certificates: await certificates(name, issued), server: 'ingest' } });
    ends.push(() => client.close());
    clients.set(name, client);
    papers.set(name, issued);
  }
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

const owners: readonly Who[] = ['client/team-a', 'client/team-b/team-a'];
const readers: readonly Who[] = [...owners, 'operator/ada'];
const name = 'namespaces/team-a/files/none';

/** A method on team-a, and who may call it; nobody else may. */
const table: readonly (readonly [method: keyof typeof FileServiceService, call: (files: Files) => Promise<unknown>, allowed: readonly Who[]])[] = [
  ['createFile', (files) => files.createFile({ parent: 'namespaces/team-a', fileId: 'one', options: undefined }), owners],
  ['uploadFile', (files) => files.uploadFile(uploadOf(name, Buffer.from('photo'))), owners],
  ['confirmFile', (files) => files.confirmFile({ name, versionId: 'v', sizeBytes: 0n, sha256: Buffer.alloc(0) }), owners],
  ['getFile', (files) => files.getFile({ name }), readers],
  ['listFiles', (files) => files.listFiles({ parent: 'namespaces/team-a', pageSize: 0, pageToken: '', states: [] }), readers],
  ['watchFile', (files) => files.watchFile({ name })[Symbol.asyncIterator]().next(), readers],
  ['downloadFile', (files) => files.downloadFile({ name })[Symbol.asyncIterator]().next(), owners],
  ['getDownloadUrl', (files) => files.getDownloadUrl({ name }), owners],
  ['retryFile', (files) => files.retryFile({ name, etag: 'e' }), owners],
  ['deleteFile', (files) => files.deleteFile({ name }), owners],
];

const by = (name: Who): Files => {
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
    expect(table.map(([method]) => method).toSorted()).toEqual(Object.keys(FileServiceService).toSorted());
  });

  test('nobody whom it does not name has made, changed or stored anything', async () => {
    for (const [, call, allowed] of table) for (const name of who) if (!allowed.includes(name)) await outcomeOf(call(by(name)));
    expect((await world.db.pool.query('select 1 from files')).rowCount).toBe(0);
    expect(await world.keys()).toEqual([]);
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
