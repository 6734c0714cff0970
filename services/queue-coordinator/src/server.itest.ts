import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enqueueOne, QueueUnderTest, WorkerUnderTest, type CoordinatorUnderTest } from './testing/queue-under-test.js';

let queue: QueueUnderTest;
let one: CoordinatorUnderTest;
beforeAll(async () => {
  queue = await QueueUnderTest.open();
  one = await queue.coordinator();
});
afterAll(() => queue.close());

const buf = join(dirname(createRequire(import.meta.url).resolve('@bufbuild/buf/package.json')), 'bin/buf');

test('buf curl finds both edges and health by reflection alone', async () => {
  await enqueueOne(one, 'a');
  const { stdout } = await promisify(execFile)(process.execPath, [
    buf, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge', '-d', '{"name":"namespaces/default/kinds/image/jobs/a"}', `http://${one.grpcAddress}/leasehold.queue.v1.QueueService/GetJob`,
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ job: { state: 'JOB_STATE_QUEUED', contractVersion: 1 } });
  const { stdout: health } = await promisify(execFile)(process.execPath, [buf, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge', '-d', '{}', `http://${one.grpcAddress}/grpc.health.v1.Health/Check`]);
  expect(JSON.parse(health)).toEqual({ status: 'SERVING' });
});

test('a coordinator refuses a schema that was not migrated, and names the command', async () => {
  const bare = await QueueUnderTest.open();
  await bare.sql.query('delete from schema_version where version = 2');
  await expect(bare.coordinator()).rejects.toThrow("002.do.partitions.sql: run the service's migrate command");
  await bare.close();
});

test('a coordinator that stops answers its long polls first, and refuses nothing that it took', async () => {
  const two = await queue.coordinator();
  const worker = await new WorkerUnderTest().register(two);
  await queue.sql.query('delete from jobs');
  await queue.sql.query("update workers set last_seen_at = now() - interval '1 minute'");
  const waiting = worker.acquire(two, { wait: { seconds: 25n, nanos: 0 } });
  await expect.poll(async () => (await queue.sql.query("select last_seen_at > now() - interval '30 seconds' as seen from workers where worker_id = $1", [worker.workerId])).rows[0]).toEqual({ seen: true });
  const stopping = two.drain();
  expect(await waiting).toEqual([]);
  await stopping;
});
