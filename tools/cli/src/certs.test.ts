import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Job, JobState, QueueServiceService } from '@leasehold/queue-v1';
import { faults, GrpcServer, readImage, service } from '@leasehold/rpc';
import { Certificates, createLogger, createRegistry } from '@leasehold/service';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { exitCodes, program } from './index.js';

let out: string;
beforeEach(async () => { out = await mkdtemp(join(tmpdir(), 'leasehold-certs-')); });
afterEach(() => rm(out, { recursive: true }));

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
  const lines: Record<'out' | 'err', string[]> = { out: [], err: [] };
  const code = await program({ args, env, out: (text) => lines.out.push(text), err: (text) => lines.err.push(text), colour: false });
  return { code, out: lines.out.join('\n'), err: lines.err.join('\n') };
}
const certs = (...args: string[]) => run(['certs', '--out', out, ...args]);
const certificateOf = async (folder: string): Promise<X509Certificate> => new X509Certificate(await readFile(join(out, folder, 'cert.pem')));

test('without identities one of each role is made, by one authority, with keys for their owner only', async () => {
  expect(await certs()).toMatchObject({ code: exitCodes.done, err: '' });
  const folders = ['client.default', 'coordinator.one', 'ingest.main', 'operator.me', 'worker.image.one'];
  expect((await readdir(out)).toSorted()).toEqual(['ca-key.pem', 'ca.pem', ...folders].toSorted());
  const root = new X509Certificate(await readFile(join(out, 'ca.pem')));
  for (const folder of folders) {
    expect((await certificateOf(folder)).verify(root.publicKey)).toBe(true);
    expect((await stat(join(out, folder, 'key.pem'))).mode & 0o777).toBe(0o600);
  }
  expect((await stat(join(out, 'ca-key.pem'))).mode & 0o777).toBe(0o600);
});

test('a later run goes on with the authority that is there, and no output shows a key', async () => {
  const first = await certs('coordinator/a');
  const second = await certs('client/team-a/team-b', '--days', '7', '--host', 'ingest.example');
  expect([first.code, second.code]).toEqual([exitCodes.done, exitCodes.done]);
  const issued = await certificateOf('client.team-a.team-b');
  expect(issued.verify(new X509Certificate(await readFile(join(out, 'ca.pem'))).publicKey)).toBe(true);
  expect(issued.subjectAltName).toBe('URI:spiffe://leasehold/client/team-a/team-b, DNS:ingest.example');
  expect(Date.parse(issued.validTo) - Date.parse(issued.validFrom)).toBeLessThan(7.01 * 86_400_000);
  expect(second.out).toContain(`LEASEHOLD_TLS_KEY=${join(out, 'client.team-a.team-b', 'key.pem')}`);
  expect(first.out + second.out).not.toContain('PRIVATE');
});

test('what is there is never overwritten, and then nothing is made at all', async () => {
  await certs('operator/ada');
  const before = await readFile(join(out, 'operator.ada', 'key.pem'), 'utf8');
  expect(await certs('operator/bob', 'operator/ada')).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('operator.ada is there already') });
  expect(await readFile(join(out, 'operator.ada', 'key.pem'), 'utf8')).toBe(before);
  expect(await readdir(out)).not.toContain('operator.bob');
  await writeFile(join(out, 'ca-key.pem'), 'nonsense');
  expect(await certs('operator/bob')).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('are no authority that can go on') });
});

test.each([['root/x'], ['worker/image'], ['operator/'], ['client/Team'], ['operator/x', '--days', '0']])('%j %s is wrong usage', async (...args) => {
  expect((await certs(...args)).code).toBe(exitCodes.usage);
  expect(await readdir(out)).toEqual([]);
});

test('an operator\'s certificate opens a coordinator that asks for one; without it nobody answers', async () => {
  await certs('coordinator/one', 'operator/ada');
  const tls = (folder: string) => ({ ca: join(out, folder, 'ca.pem'), certificate: join(out, folder, 'cert.pem'), key: join(out, folder, 'key.pem') });
  const certificates = Certificates.open(tls('coordinator.one'));
  const unmeant = (): never => { throw faults('queue.leasehold').unimplemented(); };
  const free = (): void => undefined;
  const server = new GrpcServer({
    host: '127.0.0.1', port: 0, certificates, logger: createLogger({ service: 'test', level: 'silent' }), registry: createRegistry('test'),
    images: [readImage(import.meta.resolve('@leasehold/queue-v1/image.binpb'))],
    services: [service(QueueServiceService, {
      enqueueJobs: unmeant, batchGetJobs: unmeant, listJobs: unmeant, cancelJob: unmeant, watchJob: unmeant, pullOutcomes: unmeant, ackOutcomes: unmeant, getContractShares: unmeant,
      getJob: async (_request, { identity }) => ({ job: Job.create({ name: identity.id, state: JobState.QUEUED }) }),
    }, { domain: 'queue.leasehold', access: { enqueueJobs: free, getJob: free, batchGetJobs: free, listJobs: free, cancelJob: free, watchJob: free, pullOutcomes: free, ackOutcomes: free, getContractShares: free } })],
  });
  await server.start();
  onTestFinished(async () => { await server.stop(AbortSignal.abort()); await certificates.stop(); });
  const ask = ['--coordinators', server.address, 'jobs', 'describe', 'x'];
  const { ca, certificate, key } = tls('operator.ada');
  const env = { LEASEHOLD_TLS_CA: ca, LEASEHOLD_TLS_CERT: certificate, LEASEHOLD_TLS_KEY: key };
  expect((await run(ask, env)).out).toContain('spiffe://leasehold/operator/ada');
  expect((await run([...ask, '--tls-ca', ca, '--tls-cert', certificate, '--tls-key', key])).out).toContain('spiffe://leasehold/operator/ada');
  expect((await run(ask)).code).toBe(exitCodes.unreachable);
  expect(await run(ask, { ...env, LEASEHOLD_TLS_KEY: '' })).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining('LEASEHOLD_TLS_KEY is not set') });
  expect(await run(ask, { ...env, LEASEHOLD_TLS_KEY: certificate })).toMatchObject({ code: exitCodes.refused, err: expect.stringContaining('holds no PEM key') });
});
