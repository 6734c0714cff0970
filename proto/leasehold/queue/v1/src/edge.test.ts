import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { EnqueueJobsRequest, EnqueueVerdict, JobState, PullOutcomesResponse, enqueueVerdictFromJSON, jobStateToJSON } from './index.js';

const largest = 2n ** 63n - 1n;

describe('the descriptor image', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  const edge = files.find((file) => file.name === 'leasehold/queue/v1/queue_service.proto');

  test('holds the service with each RPC and its comment', () => {
    expect(edge?.service.map((service) => [service.name, service.method.map((method) => method.name)])).toEqual([
      ['QueueService', ['EnqueueJobs', 'GetJob', 'BatchGetJobs', 'ListJobs', 'CancelJob', 'WatchJob', 'PullOutcomes', 'AckOutcomes', 'GetContractShares']],
    ]);
    const comment = (path: string) => edge?.sourceCodeInfo?.location.find((at) => at.path.join('.') === path)?.leadingComments;
    for (const index of edge?.service[0]?.method.keys() ?? []) expect(comment(`6.0.2.${index}`)).toMatch(/\w/);
  });

  test('holds every file that another imports, so that strict reflection clients accept it', () => {
    const names = files.map((file) => file.name);
    for (const file of files) expect(names).toEqual(expect.arrayContaining(file.dependency));
  });
});

test('an outcome keeps all 64 bits of its fence and its times to the millisecond, on the wire and in JSON', () => {
  const response = PullOutcomesResponse.create({
    outcomes: [{
      name: 'namespaces/default/kinds/image/jobs/a.1', enqueueId: 9007199254740993n, fence: largest, state: JobState.SUCCEEDED,
      result: Buffer.from([0, 255]), finishTime: new Date('2026-01-02T03:04:05.678Z'),
    }],
  });
  expect(PullOutcomesResponse.decode(PullOutcomesResponse.encode(response).finish())).toEqual(response);
  expect(PullOutcomesResponse.fromJSON(JSON.parse(JSON.stringify(PullOutcomesResponse.toJSON(response))))).toEqual(response);
  expect(PullOutcomesResponse.toJSON(response)).toMatchObject({ outcomes: [{ fence: '9223372036854775807', enqueueId: '9007199254740993' }] });
});

test('payloads and digests survive byte for byte', () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  const request = EnqueueJobsRequest.create({ jobs: [{ name: 'n', payload: bytes, contentDigest: Buffer.alloc(32, 0xff), delay: { seconds: 30n, nanos: 0 } }] });
  expect(EnqueueJobsRequest.decode(EnqueueJobsRequest.encode(request).finish())).toEqual(request);
  expect(EnqueueJobsRequest.fromJSON(JSON.parse(JSON.stringify(EnqueueJobsRequest.toJSON(request))))).toEqual(request);
});

test('states and verdicts go by their full names in JSON, and an unknown one is not mistaken for another', () => {
  expect(jobStateToJSON(JobState.QUEUED)).toBe('JOB_STATE_QUEUED');
  expect(enqueueVerdictFromJSON('ENQUEUE_VERDICT_CONTRACT_CLOSED')).toBe(EnqueueVerdict.CONTRACT_CLOSED);
  expect(enqueueVerdictFromJSON('ENQUEUE_VERDICT_OF_A_LATER_RELEASE')).toBe(EnqueueVerdict.UNRECOGNIZED);
});
