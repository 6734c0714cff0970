import { Job, JobState, QueueServiceService } from '@leasehold/queue-v1';
import { faults, GrpcServer, readImage, service, type HandlersOf } from '@leasehold/rpc';
import { createLogger, createRegistry } from '@leasehold/service';
import { freePort } from '@leasehold/test-stack';
import { afterEach, expect, test } from 'vitest';
import { exitCodes, program } from './index.js';

const fault = faults('queue.leasehold');
const job = (state: JobState): Job => Job.create({ name: 'namespaces/default/kinds/image/jobs/a.1', state, contractVersion: 1, enqueueId: 9007199254740993n, attempt: 1, maxAttempts: 3, fence: 42n });

let server: GrpcServer | undefined;
afterEach(async () => {
  await server?.stop(AbortSignal.timeout(1_000));
  server = undefined;
});

const unexpected = (): never => {
  throw fault.unimplemented();
};

/** The queue's edge on a real server, with the handlers that a test scripts; answers its address. */
async function serve(handlers: Partial<HandlersOf<typeof QueueServiceService>>): Promise<string> {
  const all: HandlersOf<typeof QueueServiceService> = {
    enqueueJobs: unexpected, getJob: unexpected, batchGetJobs: unexpected, listJobs: unexpected, cancelJob: unexpected, watchJob: unexpected, pullOutcomes: unexpected, ackOutcomes: unexpected, getContractShares: unexpected, ...handlers,
  };
  server = new GrpcServer({
    host: '127.0.0.1', port: 0, services: [service(QueueServiceService, all, { domain: 'queue.leasehold' })], images: [readImage(import.meta.resolve('@leasehold/queue-v1/image.binpb'))],
    logger: createLogger({ service: 'test', level: 'fatal' }), registry: createRegistry('test'),
  });
  await server.start();
  return server.address;
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await program({ args, env, out: (text) => out.push(text), err: (text) => err.push(text), colour: false });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('a list shows jobs as a table for people, and exact 64-bit ids as JSON for programs', async () => {
  const address = await serve({ listJobs: async () => ({ jobs: [job(JobState.LEASED)], nextPageToken: '' }) });
  const table = await run(['--coordinators', address, 'jobs', 'list']);
  expect(table).toMatchObject({ code: exitCodes.done, err: '' });
  expect(table.out).toMatch(/namespaces\/default\/kinds\/image\/jobs\/a\.1 .* LEASED .* image@1 .* 1\/3 .* 42/);
  const json = await run(['--coordinators', address, '--json', 'jobs', 'list']);
  expect(JSON.parse(json.out)).toMatchObject([{ enqueueId: '9007199254740993', fence: '42', state: 'LEASED' }]);
});

test('states and namespace reach the coordinator', async () => {
  const requests: unknown[] = [];
  const address = await serve({
    listJobs: async (request) => {
      requests.push(request);
      return { jobs: [], nextPageToken: '' };
    },
  });
  expect((await run(['--coordinators', address, 'jobs', 'list', '--namespace', 'team', '--state', 'failed', 'cancelled', '--limit', '7'])).out).toBe('no jobs');
  expect(requests).toEqual([{ parent: 'namespaces/team/kinds/image', pageSize: 7, pageToken: '', states: [JobState.FAILED, JobState.CANCELLED] }]);
});

test('a cancel names the enqueue that it saw', async () => {
  const cancels: unknown[] = [];
  const address = await serve({
    getJob: async () => ({ job: job(JobState.QUEUED) }),
    cancelJob: async (request) => {
      cancels.push(request);
      return { job: job(JobState.CANCELLED), cancelled: true };
    },
  });
  expect((await run(['--coordinators', address, 'jobs', 'cancel', 'namespaces/default/kinds/image/jobs/a.1'])).out).toBe('namespaces/default/kinds/image/jobs/a.1 is cancelled');
  expect(cancels).toEqual([{ name: 'namespaces/default/kinds/image/jobs/a.1', enqueueId: 9007199254740993n }]);
});

test('exit codes tell refused, unreachable and wrong usage apart, each with a line that says what to do', async () => {
  const address = await serve({
    getJob: async () => {
      throw fault.notFound('JOB_NOT_FOUND', 'no technical record');
    },
  });
  expect(await run(['--coordinators', address, 'jobs', 'describe', 'x'])).toEqual({ code: exitCodes.refused, out: '', err: `JOB_NOT_FOUND: no technical record\nnext\n  leasehold jobs list --coordinators ${address}` });
  const nobody = `127.0.0.1:${await freePort()}`;
  expect(await run(['--coordinators', nobody, 'jobs', 'list'])).toMatchObject({ code: exitCodes.unreachable, err: expect.stringContaining('--coordinator, LEASEHOLD_COORDINATORS') });
  expect((await run(['jobs', 'list', '--limit', '0'])).code).toBe(exitCodes.usage);
  expect((await run(['jobs', 'list', '--state', 'done'])).err).toContain('queued');
  expect((await run(['nonsense'])).code).toBe(exitCodes.usage);
  expect((await run(['--help'])).code).toBe(exitCodes.done);
});

test('a role that may not ask is told whose certificate may, and a coordinator that knows no rollouts is older: exit code 2', async () => {
  const address = await serve({
    getJob: async () => {
      throw fault.denied('ROLE_NOT_ALLOWED', 'this edge is not for the role client');
    },
  });
  expect(await run(['--coordinator', address, 'jobs', 'describe', 'x'])).toMatchObject({ code: exitCodes.refused, err: expect.stringMatching(/^ROLE_NOT_ALLOWED: .*\nthis is for operators: .*spiffe:\/\/leasehold\/operator\/<name>/) });
  expect(await run(['--coordinator', address, 'queue', 'stats'])).toMatchObject({ code: exitCodes.unreachable, err: expect.stringContaining('older than this command') });
});
