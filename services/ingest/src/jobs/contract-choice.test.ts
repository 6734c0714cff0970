import { QueueServiceService } from '@leasehold/queue-v1';
import { createClient } from '@leasehold/rpc';
import { createLogger, ManualClock } from '@leasehold/service';
import { versionFor } from '@leasehold/contract-shares';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Coordinator, type QueueClient } from '../coordinator/coordinator.js';
import { ScriptedCoordinator } from '../testbed/scripted-coordinator.fixture.js';
import { ContractChoice } from './contract-choice.js';
import { ContractShares } from './contract-shares.js';
import { Contracts } from './contracts.js';

type Job = 'simple' | 'rich';
const contracts = new Contracts([{ version: 1, canSay: (job: Job) => job === 'simple' }, { version: 2, canSay: () => true }]);
const never = new AbortController().signal;
let scripted: ScriptedCoordinator;
let client: QueueClient;
let clock: ManualClock;
let shares: ContractShares;
let choice: ContractChoice<Job, { version: number; canSay(job: Job): boolean }>;

beforeEach(async () => {
  scripted = await ScriptedCoordinator.start();
  client = createClient(QueueServiceService, scripted.address, { defaultTimeoutMs: 5_000 });
  clock = new ManualClock();
  shares = new ContractShares({ coordinator: new Coordinator(client, 5_000), kind: 'image', versions: [1, 2], producer: 'ingest/1', build: 'ingest@1.0.0', clock, logger: createLogger({ service: 'test', level: 'silent' }) });
  choice = new ContractChoice(contracts, shares);
});
afterEach(async () => {
  client.close();
  await scripted.stop();
});

const share = (percent: number) => ({ image: [{ contractVersion: 2, percent }, { contractVersion: 1, percent: 100 - percent }] });

describe('a producer asks which version to write', () => {
  test('V2: and says what it writes and reads, at most as often as it is told to', async () => {
    scripted.shares = share(0);
    await shares.askWhenDue(never);
    expect(scripted.calls).toEqual([{ method: 'getContractShares', request: { kind: 'image', producer: 'ingest/1', build: 'ingest@1.0.0', writes: [1, 2], reads: [1, 2] } }]);
    await shares.askWhenDue(never);
    expect(scripted.calls).toHaveLength(1);
    await clock.advance(5_000);
    await shares.askWhenDue(never);
    expect(scripted.calls).toHaveLength(2);
  });

  test('V2: each job goes to the version of its place', async () => {
    scripted.shares = share(30);
    await shares.askWhenDue(never);
    const ids = Array.from({ length: 200 }, (_, i) => `photo-${i}.1`);
    const said = [{ version: 2, percent: 30 }, { version: 1, percent: 70 }];
    expect(ids.map((id) => choice.forNew('simple', id)?.version)).toEqual(ids.map((id) => versionFor(said, id)));
    expect(new Set(ids.map((id) => choice.forNew('simple', id)?.version))).toEqual(new Set([1, 2]));
  });

  test('V5: a coordinator that knows no shares takes the version of old', async () => {
    await shares.askWhenDue(never);
    expect([choice.forNew('simple', 'a.1')?.version, choice.forNew('rich', 'a.1')]).toEqual([1, undefined]);
  });

  test('one that does not answer keeps what was heard before, and at the start the version of old', async () => {
    scripted.before = () => { throw new Error('away'); };
    await shares.askNow(never);
    await expect(shares.askWhenDue(never)).rejects.toThrow();
    expect([shares.known, choice.forNew('simple', 'a.1')?.version, choice.forNew('rich', 'a.1')]).toEqual([false, 1, undefined]);
    scripted.before = () => undefined;
    scripted.shares = share(100);
    await shares.askNow(never);
    scripted.before = () => { throw new Error('away'); };
    await shares.askNow(never);
    expect(choice.forNew('simple', 'a.1')?.version).toBe(2);
  });
});

describe('what version 1 cannot say', () => {
  test('V2: goes to version 2 once that is OPEN, whatever its share, and is refused before', async () => {
    scripted.shares = { image: [{ contractVersion: 1, percent: 100 }] };
    await shares.askNow(never);
    expect(choice.forNew('rich', 'a.1')).toBeUndefined();
    scripted.shares = share(0);
    await shares.askNow(never);
    expect([choice.forNew('rich', 'a.1')?.version, choice.forNew('simple', 'a.1')?.version]).toEqual([2, 1]);
  });
});

describe('after a version was found closed', () => {
  test('it asks again and takes one that is OPEN', async () => {
    scripted.shares = share(100);
    await shares.askNow(never);
    scripted.shares = { image: [{ contractVersion: 1, percent: 100 }] };
    expect(await choice.afterClosed(2, 'simple', 'a.1', never)).toMatchObject({ contract: { version: 1 }, isOpen: true });
    expect(choice.forNew('simple', 'a.1')?.version).toBe(1);
  });

  test('a job that no OPEN version can say goes nowhere', async () => {
    scripted.shares = { image: [{ contractVersion: 1, percent: 100 }] };
    expect(await choice.afterClosed(2, 'rich', 'a.1', never)).toBeUndefined();
    scripted.shares = { image: [] };
    expect(await choice.afterClosed(1, 'simple', 'a.1', never)).toBeUndefined();
  });

  test('while nobody answers every version is tried once, and then the round is over', async () => {
    scripted.before = () => { throw new Error('away'); };
    expect(await choice.afterClosed(1, 'simple', 'a.1', never)).toMatchObject({ contract: { version: 2 }, isOpen: true });
    expect(await choice.afterClosed(2, 'simple', 'a.1', never)).toMatchObject({ contract: { version: 1 }, isOpen: false });
    expect(await choice.afterClosed(2, 'rich', 'a.1', never)).toBeUndefined();
  });
});
