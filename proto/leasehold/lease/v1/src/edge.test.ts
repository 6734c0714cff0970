import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { AcquireLeasesRequest, AcquireLeasesResponse, ReleaseCause, SettleLeasesRequest, WorkerDirective } from './index.js';

const largest = 2n ** 63n - 1n;

describe('the descriptor image', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  const edge = files.find((file) => file.name === 'leasehold/lease/v1/lease_service.proto');

  test('holds the service with each RPC and its comment', () => {
    expect(edge?.service.map((service) => [service.name, service.method.map((method) => method.name)])).toEqual([
      ['LeaseService', ['RegisterWorker', 'AcquireLeases', 'ExtendLeases', 'SettleLeases', 'DeregisterWorker']],
    ]);
    const comment = (path: string) => edge?.sourceCodeInfo?.location.find((at) => at.path.join('.') === path)?.leadingComments;
    for (const index of edge?.service[0]?.method.keys() ?? []) expect(comment(`6.0.2.${index}`)).toMatch(/\w/);
  });

  test('holds every file that another imports, so that strict reflection clients accept it', () => {
    const names = files.map((file) => file.name);
    for (const file of files) expect(names).toEqual(expect.arrayContaining(file.dependency));
  });
});

test('fences and sequence numbers keep all 64 bits on the wire and in JSON', () => {
  const request = AcquireLeasesRequest.create({ workerId: 'w', requestSeq: largest, answeredSeq: largest - 1n, heldFences: [largest, 9007199254740993n] });
  expect(AcquireLeasesRequest.decode(AcquireLeasesRequest.encode(request).finish())).toEqual(request);
  expect(AcquireLeasesRequest.fromJSON(JSON.parse(JSON.stringify(AcquireLeasesRequest.toJSON(request))))).toEqual(request);
  expect(AcquireLeasesRequest.toJSON(request)).toMatchObject({ requestSeq: '9223372036854775807' });
});

test('a granted lease survives the wire and JSON, with its token and durations', () => {
  const response = AcquireLeasesResponse.create({
    directive: WorkerDirective.DRAIN,
    leases: [{
      namespace: 'default', kind: 'image', jobId: 'a.1', enqueueId: largest, fence: largest, contractVersion: 1,
      payload: Buffer.from([0, 255, 128]), leaseToken: Buffer.alloc(16, 0xfe), ttl: { seconds: 120n, nanos: 500_000_000 },
    }],
  });
  expect(AcquireLeasesResponse.decode(AcquireLeasesResponse.encode(response).finish())).toEqual(response);
  expect(AcquireLeasesResponse.fromJSON(JSON.parse(JSON.stringify(AcquireLeasesResponse.toJSON(response))))).toEqual(response);
});

test('a settlement carries exactly one verb', () => {
  const request = SettleLeasesRequest.create({
    settlements: [
      { verb: { $case: 'complete', value: { result: Buffer.from('done') } } },
      { verb: { $case: 'release', value: { cause: ReleaseCause.OVERCOMMITTED } } },
    ],
  });
  expect(SettleLeasesRequest.decode(SettleLeasesRequest.encode(request).finish()).settlements.map((s) => s.verb)).toEqual([
    { $case: 'complete', value: { result: Buffer.from('done') } },
    { $case: 'release', value: { cause: ReleaseCause.OVERCOMMITTED } },
  ]);
});
