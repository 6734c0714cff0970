import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { CheckGateRequest, CheckGateResponse, ExplainJobResponse, Gate, GateVerdict, GetContractResponse } from './index.js';

describe('the descriptor image', () => {
  const { file: files } = fromBinary(FileDescriptorSetSchema, readFileSync(new URL('gen/image.binpb', import.meta.url)));
  const edge = files.find((file) => file.name === 'leasehold/rollout/v1/rollout_service.proto');

  test('holds the service with each RPC and its comment', () => {
    expect(edge?.service.map((service) => [service.name, service.method.map((method) => method.name)])).toEqual([
      ['RolloutService', [
        'AnnounceContract', 'ListContracts', 'GetContract', 'CheckGate', 'OpenContract', 'SetPreferredContract', 'CloseContract', 'RetireContract', 'ReopenContract',
        'PauseContract', 'ResumeContract', 'DiscardJobs', 'WatchDrain', 'ListWorkers', 'CordonWorkers', 'UncordonWorkers', 'DrainWorkers', 'ExplainJob', 'ListAuditEvents',
      ]],
    ]);
    const comment = (path: string) => edge?.sourceCodeInfo?.location.find((at) => at.path.join('.') === path)?.leadingComments;
    for (const index of edge?.service[0]?.method.keys() ?? []) expect(comment(`6.0.2.${index}`)).toMatch(/\w/);
  });

  test('holds every file that another imports, so that strict reflection clients accept it', () => {
    const names = files.map((file) => file.name);
    for (const file of files) expect(names).toEqual(expect.arrayContaining(file.dependency));
  });
});

test('an answer that nobody gave is not PASS', () => {
  expect(Gate.decode(new Uint8Array()).verdict).toBe(GateVerdict.UNSPECIFIED);
  expect(CheckGateResponse.decode(new Uint8Array()).gate).toBeUndefined();
});

test('a question is for exactly one gate', () => {
  const gate = { $case: 'prefer' as const, value: { name: 'kinds/image/contracts/2', percent: 10 } };
  expect(CheckGateRequest.decode(CheckGateRequest.encode({ gate }).finish())).toEqual({ gate });
});

test('fences and counts keep all 64 bits, on the wire and in JSON', () => {
  const largest = 2n ** 63n - 1n;
  const job = ExplainJobResponse.create({ events: [{ event: 'lease_lost', enqueueId: largest, fence: 9007199254740993n, currentFence: largest }] });
  expect(ExplainJobResponse.decode(ExplainJobResponse.encode(job).finish())).toEqual(job);
  expect(ExplainJobResponse.fromJSON(JSON.parse(JSON.stringify(ExplainJobResponse.toJSON(job))))).toEqual(job);
});

test('ages that are unset stay unset, so that an empty queue has no oldest job', () => {
  const status = GetContractResponse.create({ left: { total: 0n } });
  expect(GetContractResponse.decode(GetContractResponse.encode(status).finish()).left).toMatchObject({ oldestJobAge: undefined, oldestOutcomeAge: undefined });
});
