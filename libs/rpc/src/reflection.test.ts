import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { create, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { GetJobResponse, Job, WatchJobResponse } from '@leasehold/queue-v1';
import { protoPath } from 'grpc-health-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Descriptors } from './descriptors.js';
import { image, serveEdges } from './edges.fixture.js';

const run = promisify(execFile);
const BUF = fileURLToPath(new URL('../../../node_modules/.bin/buf', import.meta.url));

/** buf as a client that knows nothing but the address; it checks descriptors strictly. */
const curl = async (...args: string[]): Promise<string> => (await run(BUF, ['curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args])).stdout;

const served = () => serveEdges({
  queue: {
    getJob: ({ name }) => Promise.resolve(GetJobResponse.create({ job: Job.create({ name, enqueueId: 2n ** 53n + 1n, enqueueTime: new Date(0) }) })),
    async *watchJob({ name }) { for (const attempt of [1, 2]) yield WatchJobResponse.create({ job: Job.create({ name, attempt }) }); },
  },
});

describe('buf curl, without a schema,', () => {
  test('lists every service, health and reflection included', async () => {
    const { server } = await served();
    const services = (await curl('--list-services', `http://${server.address}`)).trim().split('\n');
    expect(services.toSorted()).toEqual([
      'grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection',
      'leasehold.ingest.v1.FileService', 'leasehold.queue.v1.QueueService',
    ]);
  });

  test.each(['grpc-v1', 'grpc-v1alpha'])('calls a method by %s', async (protocol) => {
    const { server } = await served();
    const answer: unknown = JSON.parse(await curl('--reflect-protocol', protocol, '-d', '{"name":"a"}', `http://${server.address}/leasehold.queue.v1.QueueService/GetJob`));
    expect(answer).toEqual({ job: { name: 'a', enqueueId: '9007199254740993', enqueueTime: '1970-01-01T00:00:00Z' } });
  });

  test('reads a stream', async () => {
    const { server } = await served();
    const answers = await curl('-d', '{"name":"a"}', `http://${server.address}/leasehold.queue.v1.QueueService/WatchJob`);
    expect(answers.replaceAll(/\s/g, '')).toBe('{"job":{"name":"a","attempt":1}}{"job":{"name":"a","attempt":2}}');
  });

  test('asks for health', async () => {
    const { server } = await served();
    expect(JSON.parse(await curl('-d', '{"service":"leasehold.queue.v1.QueueService"}', `http://${server.address}/grpc.health.v1.Health/Check`))).toEqual({ status: 'SERVING' });
  });

  test('reads the reason of a refusal', async () => {
    const { server } = await served();
    await expect(curl('-d', '{}', `http://${server.address}/leasehold.queue.v1.QueueService/EnqueueJobs`)).rejects.toThrow('google.rpc.ErrorInfo');
  });
});

describe('descriptors', () => {
  const descriptors = new Descriptors([image('@leasehold/queue-v1'), image('@leasehold/ingest-v1')]);

  test.each([
    'leasehold.queue.v1.QueueService', 'leasehold.queue.v1.QueueService.GetJob', 'leasehold.queue.v1.Job', 'leasehold.queue.v1.Job.fence',
    'leasehold.queue.v1.JobState', 'leasehold.queue.v1.JOB_STATE_QUEUED', 'leasehold.ingest.v1.UploadTarget.HeadersEntry', 'leasehold.ingest.v1.UploadFileRequest.part', 'grpc.health.v1.Health', 'google.protobuf.Duration',
  ])('are found by the symbol %s', (symbol) => {
    expect(descriptors.bySymbol(symbol)?.length).toBeGreaterThan(0);
  });

  test.each(['', '.', 'leasehold', 'leasehold.queue.v1', 'leasehold.queue.v1.Job.nothing', 'leasehold.queue.v1.QueueService.GetJob.x'])('are not found by %j', (symbol) => {
    expect(descriptors.bySymbol(symbol)).toBeUndefined();
  });

  test('come with everything that they import', () => {
    expect(descriptors.bySymbol('leasehold.queue.v1.Job')).toHaveLength(3);
    expect(descriptors.byName('google/protobuf/timestamp.proto')).toHaveLength(1);
    expect(descriptors.byName('no/such.proto')).toBeUndefined();
    const lone = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [{ name: 'lone.proto', dependency: ['missing.proto'] }] }));
    expect(() => new Descriptors([lone])).toThrow('the images lack missing.proto, which lone.proto imports');
  });
});

test('the committed descriptors of health and reflection are those of the packages that serve them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'leasehold-rpc-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const build = async (root: string, path: string): Promise<Buffer> => {
    const out = join(folder, `${path.replaceAll('/', '-')}.binpb`);
    await run(BUF, ['build', '--as-file-descriptor-set', '--exclude-source-info', '--path', path, '-o', out], { cwd: root });
    return readFile(out);
  };
  const health = await build(join(dirname(protoPath), '../..'), 'health/v1');
  const reflection = await build(join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto'), 'grpc/reflection');
  // Descriptor sets are concatenated like any protobuf message with only repeated fields.
  expect(readFileSync(new URL('standard-services.binpb', import.meta.url))).toEqual(Buffer.concat([health, reflection]));
});
