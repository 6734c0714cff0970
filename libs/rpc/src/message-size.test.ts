import { status } from '@grpc/grpc-js';
import { EnqueueJobsRequest, EnqueueJobsResponse, GetJobResponse, Job, JobSpec, QueueServiceService } from '@leasehold/queue-v1';
import { DownloadFileResponse, DownloadFileRequest, UploadFileRequest, UploadFileResponse } from '@leasehold/ingest-v1';
import { describe, expect, test } from 'vitest';
import { QUEUE_DOMAIN, serveEdges } from './edges.fixture.js';
import { rawUnary } from './raw-call.fixture.js';

const LIMIT = 64 * 1024;
const MiB = 1024 * 1024;

/** A request of exactly so many bytes on the wire. */
function requestOf(bytes: number): EnqueueJobsRequest {
  const of = (payload: number): EnqueueJobsRequest => EnqueueJobsRequest.create({ jobs: [JobSpec.create({ payload: Buffer.alloc(payload, 7) })] });
  const size = (request: EnqueueJobsRequest): number => EnqueueJobsRequest.encode(request).finish().length;
  const request = of(bytes - (size(of(bytes)) - bytes));
  expect(size(request)).toBe(bytes);
  return request;
}

const tooLarge = { code: status.RESOURCE_EXHAUSTED, reason: 'MESSAGE_TOO_LARGE' };

describe('a request', () => {
  async function counting(maxReceiveBytes?: number) {
    let calls = 0;
    const edges = await serveEdges({
      ...(maxReceiveBytes === undefined ? {} : { maxReceiveBytes }),
      queue: { enqueueJobs: () => { calls += 1; return Promise.resolve(EnqueueJobsResponse.create()); } },
    });
    return { edges, calls: () => calls };
  }

  test('of the limit is served, one byte more is refused before its handler, and not retried', async () => {
    const { edges, calls } = await counting(LIMIT);
    const client = edges.queue({ idempotent: ['enqueueJobs'] });
    await client.enqueueJobs(requestOf(LIMIT));
    await expect(client.enqueueJobs(requestOf(LIMIT + 1))).rejects.toMatchObject({ ...tooLarge, domain: QUEUE_DOMAIN, message: expect.stringContaining(`${LIMIT + 1} vs ${LIMIT}`) });
    expect(calls()).toBe(1);
    expect(await edges.answered('EnqueueJobs', 'RESOURCE_EXHAUSTED')).toBe(1);
  });

  test('of 4 MiB is the default limit, and far larger ones are refused as clearly', async () => {
    const { edges } = await counting();
    const client = edges.queue();
    await client.enqueueJobs(requestOf(4 * MiB));
    for (const bytes of [4 * MiB + 1, 12 * MiB]) await expect(client.enqueueJobs(requestOf(bytes))).rejects.toMatchObject(tooLarge);
    await client.enqueueJobs(requestOf(4 * MiB));
  });

  test('too large names its reason to any client', async () => {
    const { edges } = await counting(LIMIT);
    const refusal = await rawUnary(edges.server.address, QueueServiceService.enqueueJobs, requestOf(LIMIT + 1));
    expect(refusal).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: ['type.googleapis.com/google.rpc.ErrorInfo'] });
  });

  test('too large within a stream ends the stream', async () => {
    const edges = await serveEdges({
      maxReceiveBytes: LIMIT,
      files: {
        uploadFile: async (requests) => {
          for await (const _ of requests);
          return UploadFileResponse.create();
        },
      },
    });
    const chunks = async function* (size: number) {
      for (let i = 0; i < 3; i += 1) yield UploadFileRequest.create({ part: { $case: 'chunk', value: Buffer.alloc(i === 1 ? size : 1) } });
    };
    await edges.files().uploadFile(chunks(LIMIT - 100));
    await expect(edges.files().uploadFile(chunks(LIMIT))).rejects.toMatchObject(tooLarge);
  });
});

describe('an answer', () => {
  test('of the limit is taken, one byte more is a fault of the client, and not asked for again', async () => {
    let calls = 0;
    const frame = GetJobResponse.encode(GetJobResponse.create({ job: Job.create({ result: Buffer.alloc(LIMIT) }) })).finish().length - LIMIT;
    const edges = await serveEdges({
      queue: {
        getJob: ({ name }) => {
          calls += 1;
          return Promise.resolve(GetJobResponse.create({ job: Job.create({ result: Buffer.alloc(LIMIT - frame + (name === 'more' ? 1 : 0)) }) }));
        },
      },
    });
    const client = edges.queue({ maxReceiveBytes: LIMIT, idempotent: ['getJob'] });
    await client.getJob({ name: 'limit' });
    await expect(client.getJob({ name: 'more' })).rejects.toMatchObject({ ...tooLarge, domain: 'transport' });
    expect(calls).toBe(2);
  });

  test('too large within a stream ends the stream', async () => {
    const edges = await serveEdges({
      files: { async *downloadFile() { for (;;) yield DownloadFileResponse.create({ part: { $case: 'chunk', value: Buffer.alloc(LIMIT) } }); } },
    });
    const download = async (): Promise<void> => { for await (const _ of edges.files({ maxReceiveBytes: LIMIT }).downloadFile(DownloadFileRequest.create())); };
    await expect(download()).rejects.toMatchObject(tooLarge);
  });
});
