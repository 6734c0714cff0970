import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { FilesClient, FileState } from '@leasehold/client';
import { startProcess, startPostgres, type PostgresServer } from '@leasehold/test-stack';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Papers } from '../exposure/papers.js';
import { databasesOfRoles, type ServiceDatabases } from '../exposure/service-roles.js';
import { Fleet } from '../fleet/fleet.js';
import type { Member } from '../fleet/member.js';
import { programs } from '../fleet/programs.js';
import { downloaded, handOver } from '../photos/hand-over.js';
import { photoOf, shows } from '../photos/photo.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// Every connection mTLS, every service with a database role and a certificate of its own, and everything logged: as strangers meet it.

const signingSecret = 'signs-URLs-and-must-be-seen-by-nobody';
const patience = { timeout: 60_000 };

let server: PostgresServer;
let databases: ServiceDatabases;
let papers: Papers;
let logFolder: string;
let fleet: Fleet;
let files: FilesClient;
let worker: Member;
/** What errors and answers said to callers. */
const heard: string[] = [];
beforeAll(async () => {
  [server, papers, logFolder] = [await startPostgres(), await Papers.make(), await mkdtemp(join(tmpdir(), 'leasehold-exposure-'))];
  databases = await databasesOfRoles(server);
  const everything = { LEASEHOLD_LOG_LEVEL: 'trace' };
  fleet = await Fleet.prepare({
    databases: databases.owner, logFolder,
    coordinatorEnv: { ...everything, ...(await papers.env('coordinator/one')), LEASEHOLD_QUEUE_DATABASE_URL: databases.queue },
    ingestEnv: { ...everything, ...(await papers.env('ingest/main')), LEASEHOLD_RECORDS_DATABASE_URL: databases.records, LEASEHOLD_SIGNING_SECRET: signingSecret },
  });
  worker = fleet.worker({ env: { ...everything, ...(await papers.env('worker/image/one')) } });
  files = new FilesClient({ address: fleet.ingestAddresses, namespace: 'team-a', tls: await papers.issue('client/team-a') });
  await Promise.all([fleet.start(), worker.start()]);
});
afterAll(async () => {
  files.close();
  await fleet.end();
  await server.stop();
  await papers.end();
  await rm(logFolder, { recursive: true });
});

/** What an HTTPS edge of a process answers. */
async function https(member: Member, path: string): Promise<{ code: number | undefined; body: string }> {
  const { addresses } = await member.logged('service_started');
  const [host, port] = String(Object.entries(addresses ?? {}).find(([name]) => name === 'http')?.[1]).split(':');
  return new Promise((resolve, reject) => {
    request({ host, port, path, ca: papers.authority, agent: false }, (answer) => {
      text(answer).then((body) => resolve({ code: answer.statusCode, body }), reject);
    }).on('error', reject).end();
  });
}

test('a photo is made over mTLS by services that can do no more in their databases than they need', async () => {
  const photo = await photoOf(1);
  const card = await handOver(files, photo.bytes);
  expect(await files.waitUntilFinal(card.name)).toMatchObject({ state: FileState.READY });
  expect(await shows(photo, await downloaded(files, card))).toBe(true);
});

test('whoever comes with another team\'s certificate, or none, gets nothing', async () => {
  const card = await handOver(files, (await photoOf(2)).bytes);
  const stranger = new FilesClient({ address: fleet.ingestAddresses, namespace: 'team-a', tls: await papers.issue('client/team-b') });
  const nobody = new FilesClient({ address: fleet.ingestAddresses, namespace: 'team-a', timeoutMs: 3_000 });
  await expect(stranger.get(card.name)).rejects.toMatchObject({ reason: 'NAMESPACE_NOT_OWN' });
  await expect(nobody.get(card.name)).rejects.toMatchObject({ domain: 'transport' });
  expect(await https(fleet.ingest, `/v1/${card.name}`)).toMatchObject({ code: 401 });
  stranger.close();
  nobody.close();
});

test('a worker with the certificate of another kind takes no job', async () => {
  const impostor = fleet.worker({ env: await papers.env('worker/import/one') });
  await impostor.start({ mayFail: true }).catch(() => undefined);
  await expect.poll(async () => (await readFile(join(logFolder, 'coordinator-1.log'), 'utf8')).includes('"identity":"spiffe://leasehold/worker/import/one"'), patience).toBe(true);
  expect((await fleet.queue.query("select 1 from workers where identity like '%import%'")).rowCount).toBe(0);
  if (impostor.runs) await impostor.kill();
});

test('no secret is in any log, answer, metric or process title, whatever went wrong', async () => {
  // What goes wrong: a database that goes away, a wrong password, a key that is another's, a signed URL that was changed.
  await server.restart();
  const photo = await photoOf(3);
  await expect.poll(() => handOver(files, photo.bytes, 'after-the-restart').catch((error: unknown) => { heard.push(String(error)); }), patience).toBeDefined();
  const card = await files.waitUntilFinal(files.nameOf('after-the-restart'));
  const { url } = await files.downloadUrl(card.name);
  const signed = new URL(url);
  const tampered = await https(fleet.ingest, `${signed.pathname}${signed.search.slice(0, -4)}`);
  expect(tampered.code).toBe(403);
  heard.push(tampered.body);

  const env = { ...(await papers.env('coordinator/two')), LEASEHOLD_GRPC_PORT: '0', LEASEHOLD_HTTP_PORT: '0' };
  const wrongPassword = databases.queue.replace(databases.passwords[0] ?? '', 'wrong-and-secret-all-the-same');
  for (const bad of [{ LEASEHOLD_QUEUE_DATABASE_URL: wrongPassword }, { LEASEHOLD_QUEUE_DATABASE_URL: databases.queue, LEASEHOLD_TLS_KEY: (await papers.issue('coordinator/three')).key }]) {
    const failing = await startProcess({ name: 'failing', args: [programs.coordinator], env: { ...env, ...bad }, logFile: join(logFolder, 'failing.log') });
    expect((await failing.exited).code).not.toBe(0);
  }

  const secrets = new Map<string, string>([
    ['the signing secret', signingSecret], ['a wrong password', 'wrong-and-secret-all-the-same'], ['a signature', signed.searchParams.toString()],
    ...databases.passwords.map((password, index) => [`password ${index}`, password] as const),
    ...(await papers.keyLines()).map((line, index) => [`private key ${index}`, line] as const),
    ...(await leaseTokens()).flatMap((token, index) => [[`lease token ${index} in hex`, token.toString('hex')], [`lease token ${index} in base64`, token.toString('base64')]] as const),
  ]);
  const places = new Map<string, string>([['what callers heard', heard.join('\n')]]);
  for (const name of await readdir(logFolder)) places.set(name, await readFile(join(logFolder, name), 'utf8'));
  for (const member of [fleet.coordinator, fleet.ingest, worker]) {
    for (const path of ['/metrics', '/readyz']) places.set(`${member.name} ${path}`, (await https(member, path)).body);
    const { pid } = await member.logged('service_started');
    if (existsSync('/proc/self')) for (const file of ['cmdline', 'comm']) places.set(`${member.name} ${file}`, await readFile(`/proc/${String(pid)}/${file}`, 'utf8'));
  }
  const found = [...places].flatMap(([place, content]) => [...secrets].filter(([, secret]) => secret.length > 0 && content.includes(secret)).map(([what]) => `${what} in ${place}`));
  expect(found).toEqual([]);
  // The places are those where it happens.
  expect(places.get('failing.log')).toContain('password authentication failed');
  expect(places.get('failing.log')).toContain('holds no PEM key that belongs to');
  expect([...places.values()].join('').length).toBeGreaterThan(10_000);
  expect(secrets.size).toBeGreaterThan(12);
});

/** Those of every lease that was settled. */
async function leaseTokens(): Promise<Buffer[]> {
  const owner = new pg.Client({ connectionString: databases.owner.queue });
  await owner.connect();
  const { rows } = await owner.query<{ lease_token: Buffer }>('select lease_token from settlements');
  await owner.end();
  return rows.map((row) => row.lease_token);
}
