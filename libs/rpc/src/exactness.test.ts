import { AckOutcomesResponse, CancelJobResponse, Job, OutcomeRef } from '@leasehold/queue-v1';
import { ConfirmFileResponse, File } from '@leasehold/ingest-v1';
import { expect, test } from 'vitest';
import { serveEdges } from './edges.fixture.js';

const beyondDouble = [2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 1_764_437_696_789_123n];

test('64-bit integers arrive exactly, both ways', async () => {
  const received: bigint[] = [];
  const edges = await serveEdges({
    queue: {
      cancelJob: ({ name, enqueueId }) => {
        received.push(enqueueId);
        return Promise.resolve(CancelJobResponse.create({ job: Job.create({ name, enqueueId, fence: enqueueId }), cancelled: true }));
      },
      ackOutcomes: ({ outcomes }) => {
        received.push(...outcomes.map(({ fence }) => fence));
        return Promise.resolve(AckOutcomesResponse.create());
      },
    },
  });
  for (const enqueueId of beyondDouble) {
    const { job } = await edges.queue().cancelJob({ name: 'a', enqueueId });
    expect(job).toMatchObject({ enqueueId, fence: enqueueId });
  }
  await edges.queue().ackOutcomes({ outcomes: beyondDouble.map((fence) => OutcomeRef.create({ name: 'a', fence })) });
  expect(received).toEqual([...beyondDouble, ...beyondDouble]);
});

test('bytes and times arrive exactly', async () => {
  const sha256 = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  const createTime = new Date('2026-11-29T17:35:55.123Z');
  let received: Uint8Array = new Uint8Array();
  const edges = await serveEdges({
    files: {
      confirmFile: (request) => {
        received = request.sha256;
        return Promise.resolve(ConfirmFileResponse.create({ file: File.create({ createTime }) }));
      },
    },
  });
  const { file } = await edges.files().confirmFile({ name: 'a', versionId: 'v', sizeBytes: 1n, sha256 });
  expect(Buffer.from(received)).toEqual(sha256);
  expect(file?.createTime).toEqual(createTime);
});
