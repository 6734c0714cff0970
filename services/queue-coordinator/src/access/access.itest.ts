import { randomUUID } from 'node:crypto';
import { LeaseServiceService, Progress, ReleaseCause, SettlementVerdict, type AcquireLeasesRequest, type Lease, type Settlement } from '@leasehold/lease-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { RolloutServiceService } from '@leasehold/rollout-v1';
import { durationOfMs, Fault, status } from '@leasehold/rpc';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { only, QueueUnderTest, spec, jobName, type CoordinatorUnderTest } from '../testing/queue-under-test.js';
import { SecureCallers, type SecureCaller } from '../testing/secure-callers.js';

// By the last parts of their names. `main` may produce images everywhere, `partner` in team-a only, `stranger` nothing.
const who = ['ingest/main', 'ingest/partner', 'ingest/stranger', 'worker/image/one', 'worker/image/two', 'worker/import/one', 'client/team-a', 'operator/ada', 'coordinator/two'] as const;
type Who = (typeof who)[number];

let queue: QueueUnderTest;
let coordinator: CoordinatorUnderTest;
let callers: SecureCallers;
const caller = new Map<Who, SecureCaller>();
const by = (name: Who): SecureCaller => {
  const found = caller.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

beforeAll(async () => {
  [queue, callers] = [await QueueUnderTest.open(), await SecureCallers.make()];
  coordinator = await queue.coordinator({ ...(await callers.coordinatorEnv()), LEASEHOLD_PRODUCERS: 'main:image:*; partner:image:team-a' });
  for (const name of who) caller.set(name, await callers.caller(coordinator.grpcAddress, `spiffe://leasehold/${name}`));
});
afterAll(async () => {
  await queue.close();
  await callers.end();
});

const a = jobName('x', 'team-a');
const b = jobName('x', 'team-b');
const other = jobName('x', 'team-a', 'import');
const producers: readonly Who[] = ['ingest/main', 'ingest/partner'];
const imageWorkers: readonly Who[] = ['worker/image/one', 'worker/image/two'];
const fresh = (kind = 'image', more: Partial<AcquireLeasesRequest> = {}): AcquireLeasesRequest =>
  ({ workerId: randomUUID(), requestSeq: 1n, answeredSeq: 0n, heldFences: [], kind, contractVersions: [1], maxLeases: 1, wait: durationOfMs(0), ...more });
const registration = (workerId: string, kind = 'image') => ({ workerId, build: 'b@1', concurrency: 1, contracts: [{ kind, version: 1 }] });

type Call = (caller: SecureCaller) => Promise<unknown>;
const contract = 'kinds/image/contracts/9';
const nobody = { selector: { workerId: randomUUID(), build: '', contract: '', withoutContract: '' }, validateOnly: false, actor: '', reason: '' };
/** Whoever may, is told that there is no such contract, job or worker: nothing changes. */
const rolloutCalls: readonly (readonly [method: string, call: Call])[] = [
  ['announceContract', (c) => c.rollout.announceContract({ name: 'kinds/nothing/contracts/1', descriptorDigest: Buffer.alloc(32), actor: '' })],
  ['listContracts', (c) => c.rollout.listContracts({ parent: 'kinds/-' })],
  ['getContract', (c) => c.rollout.getContract({ name: contract })],
  ['checkGate', (c) => c.rollout.checkGate({ gate: { $case: 'close', value: { name: contract } } })],
  ['openContract', (c) => c.rollout.openContract({ name: contract, step: undefined, minWorkers: 1 })],
  ['setPreferredContract', (c) => c.rollout.setPreferredContract({ name: contract, percent: 1, step: undefined })],
  ['closeContract', (c) => c.rollout.closeContract({ name: contract, step: undefined })],
  ['retireContract', (c) => c.rollout.retireContract({ name: contract, step: undefined })],
  ['reopenContract', (c) => c.rollout.reopenContract({ name: contract, step: undefined })],
  ['pauseContract', (c) => c.rollout.pauseContract({ name: contract, step: undefined, reason: 'r' })],
  ['resumeContract', (c) => c.rollout.resumeContract({ name: contract, step: undefined })],
  ['discardJobs', (c) => c.rollout.discardJobs({ name: contract, reason: 'r', maxJobs: 1, validateOnly: true, actor: '' })],
  ['watchDrain', (c) => c.rollout.watchDrain({ name: contract })[Symbol.asyncIterator]().next()],
  ['listWorkers', (c) => c.rollout.listWorkers({ kind: '', build: '', showGone: false })],
  ['cordonWorkers', (c) => c.rollout.cordonWorkers(nobody)],
  ['uncordonWorkers', (c) => c.rollout.uncordonWorkers(nobody)],
  ['drainWorkers', (c) => c.rollout.drainWorkers(nobody)],
  ['explainJob', (c) => c.rollout.explainJob({ name: a })],
  ['listAuditEvents', (c) => c.rollout.listAuditEvents({ pageSize: 1, pageToken: '', subject: '' })],
];
/** A method, what it is called on, how, and who may; nobody else may. */
const table: readonly (readonly [method: string, on: string, call: Call, allowed: readonly Who[]])[] = [
  ['enqueueJobs', 'team-a', (c) => c.queue.enqueueJobs({ jobs: [spec('x', { name: a })] }), producers],
  ['enqueueJobs', 'team-b', (c) => c.queue.enqueueJobs({ jobs: [spec('x', { name: b })] }), ['ingest/main']],
  ['enqueueJobs', 'team-a beside team-b', (c) => c.queue.enqueueJobs({ jobs: [spec('y', { name: jobName('y', 'team-a') }), spec('x', { name: b })] }), ['ingest/main']],
  ['enqueueJobs', 'another kind', (c) => c.queue.enqueueJobs({ jobs: [spec('x', { name: other })] }), []],
  ['getJob', 'team-a', (c) => c.queue.getJob({ name: a }), [...producers, 'operator/ada']],
  ['getJob', 'team-b', (c) => c.queue.getJob({ name: b }), ['ingest/main', 'operator/ada']],
  ['batchGetJobs', 'team-a', (c) => c.queue.batchGetJobs({ names: [a] }), [...producers, 'operator/ada']],
  ['batchGetJobs', 'team-a beside team-b', (c) => c.queue.batchGetJobs({ names: [a, b] }), ['ingest/main', 'operator/ada']],
  ['listJobs', 'team-a', (c) => c.queue.listJobs({ parent: 'namespaces/team-a/kinds/image', pageSize: 0, pageToken: '', states: [] }), [...producers, 'operator/ada']],
  ['listJobs', 'team-b', (c) => c.queue.listJobs({ parent: 'namespaces/team-b/kinds/image', pageSize: 0, pageToken: '', states: [] }), ['ingest/main', 'operator/ada']],
  ['listJobs', 'all namespaces', (c) => c.queue.listJobs({ parent: 'namespaces/-/kinds/image', pageSize: 0, pageToken: '', states: [] }), ['ingest/main', 'operator/ada']],
  ['listJobs', 'another kind', (c) => c.queue.listJobs({ parent: 'namespaces/team-a/kinds/import', pageSize: 0, pageToken: '', states: [] }), ['operator/ada']],
  ['watchJob', 'team-a', (c) => c.queue.watchJob({ name: jobName('missing', 'team-a') })[Symbol.asyncIterator]().next(), [...producers, 'operator/ada']],
  ['watchJob', 'team-b', (c) => c.queue.watchJob({ name: jobName('missing', 'team-b') })[Symbol.asyncIterator]().next(), ['ingest/main', 'operator/ada']],
  ['cancelJob', 'team-a', (c) => c.queue.cancelJob({ name: jobName('c', 'team-a'), enqueueId: 0n }), [...producers, 'operator/ada']],
  ['cancelJob', 'team-b', (c) => c.queue.cancelJob({ name: jobName('c', 'team-b'), enqueueId: 0n }), ['ingest/main', 'operator/ada']],
  ['pullOutcomes', 'image', (c) => c.queue.pullOutcomes({ kind: 'image', contractVersions: [9], maxOutcomes: 1, wait: undefined, producer: '' }), producers],
  ['pullOutcomes', 'another kind', (c) => c.queue.pullOutcomes({ kind: 'import', contractVersions: [9], maxOutcomes: 1, wait: undefined, producer: '' }), []],
  ['ackOutcomes', 'team-a', (c) => c.queue.ackOutcomes({ outcomes: [{ name: a, fence: 1n }] }), producers],
  ['ackOutcomes', 'team-b', (c) => c.queue.ackOutcomes({ outcomes: [{ name: b, fence: 1n }] }), ['ingest/main']],
  ['getContractShares', 'image', (c) => c.queue.getContractShares({ kind: 'image', producer: 'p', build: 'b', writes: [1], reads: [1] }), producers],
  ['getContractShares', 'another kind', (c) => c.queue.getContractShares({ kind: 'import', producer: 'p', build: 'b', writes: [1], reads: [1] }), []],
  ...rolloutCalls.map(([method, call]) => [method, 'anything', call, ['operator/ada']] as const),
  ['registerWorker', 'image', (c) => c.leases.registerWorker(registration(randomUUID())), imageWorkers],
  ['registerWorker', 'import', (c) => c.leases.registerWorker(registration(randomUUID(), 'import')), ['worker/import/one']],
  ['acquireLeases', 'image', (c) => c.leases.acquireLeases(fresh()), imageWorkers],
  ['acquireLeases', 'import', (c) => c.leases.acquireLeases(fresh('import')), ['worker/import/one']],
  ['extendLeases', 'nothing', (c) => c.leases.extendLeases({ workerId: randomUUID(), answeredSeq: 0n, heldFences: [], extensions: [] }), [...imageWorkers, 'worker/import/one']],
  ['settleLeases', 'an unknown lease', (c) => c.leases.settleLeases({ workerId: randomUUID(), settlements: [complete({ enqueueId: 1n, leaseToken: Buffer.alloc(16), fence: 1n })] }), [...imageWorkers, 'worker/import/one']],
  ['deregisterWorker', 'an unknown worker', (c) => c.leases.deregisterWorker({ workerId: randomUUID() }), [...imageWorkers, 'worker/import/one']],
];

function complete({ enqueueId, leaseToken, fence }: Pick<Lease, 'enqueueId' | 'leaseToken' | 'fence'>): Settlement {
  return { enqueueId, leaseToken, fence, verb: { $case: 'complete', value: { result: Buffer.from('done') } } };
}

const outcomeOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'allowed', (error: unknown) => {
  if (!(error instanceof Fault)) throw error;
  return error.code === status.PERMISSION_DENIED ? error.reason : 'allowed';
});

describe('the table of who may call what', () => {
  test('names every method of the three edges', () => {
    expect([...new Set(table.map(([method]) => method))].toSorted()).toEqual([...Object.keys(QueueServiceService), ...Object.keys(LeaseServiceService), ...Object.keys(RolloutServiceService)].toSorted());
  });

  test.for(table.flatMap(([method, on, call, allowed]) => who.map((name) => ({ method, on, call, name, may: allowed.includes(name) }))))('$method on $on by $name: $may', async ({ call, name, may }) => {
    expect(await outcomeOf(call(by(name)))).toEqual(may ? 'allowed' : expect.stringMatching(/^(ROLE_NOT_ALLOWED|NOT_GRANTED)$/));
  });

  test('a refused enqueue has enqueued nothing, its companions neither', async () => {
    await queue.reset();
    for (const [method, , call, allowed] of table) {
      if (method === 'enqueueJobs') for (const name of who) if (!allowed.includes(name)) await outcomeOf(call(by(name)));
    }
    expect((await queue.sql.query('select 1 from jobs')).rowCount).toBe(0);
  });
});

describe('between workers of one kind', () => {
  const setUp = async () => {
    await queue.reset();
    const [one, two] = [by('worker/image/one').leases, by('worker/image/two').leases];
    const [mine, theirs] = [randomUUID(), randomUUID()];
    await one.registerWorker(registration(mine));
    await two.registerWorker(registration(theirs));
    await by('ingest/main').queue.enqueueJobs({ jobs: [spec('x', { name: a })] });
    const lease = only((await one.acquireLeases(fresh('image', { workerId: mine }))).leases);
    return { one, two, mine, theirs, lease };
  };

  test('a worker id is its registrant\'s alone, in every method', async () => {
    const { two, mine } = await setUp();
    const denied = { code: status.PERMISSION_DENIED, reason: 'WORKER_NOT_OWN', domain: 'lease.leasehold', metadata: { identity: by('worker/image/two').uri } };
    await expect(two.registerWorker(registration(mine))).rejects.toMatchObject(denied);
    await expect(two.acquireLeases(fresh('image', { workerId: mine, requestSeq: 2n, answeredSeq: 1n }))).rejects.toMatchObject(denied);
    await expect(two.extendLeases({ workerId: mine, answeredSeq: 1n, heldFences: [], extensions: [] })).rejects.toMatchObject(denied);
    await expect(two.settleLeases({ workerId: mine, settlements: [] })).rejects.toMatchObject(denied);
    await expect(two.deregisterWorker({ workerId: mine })).rejects.toMatchObject(denied);
    expect((await queue.sql.query('select identity, state, answered_seq from workers where worker_id = $1', [mine])).rows).toEqual([{ identity: by('worker/image/one').uri, state: 'active', answered_seq: '0' }]);
    expect((await queue.sql.query("select 1 from jobs where state = 'leased' and worker_id = $1", [mine])).rowCount).toBe(1);
  });

  test('a lease whose token got out is of no use to another worker, and its holder still settles it', async () => {
    const { one, two, mine, theirs, lease } = await setUp();
    const denied = { code: status.PERMISSION_DENIED, reason: 'LEASE_NOT_OWN' };
    const { enqueueId, leaseToken } = lease;
    await expect(two.settleLeases({ workerId: theirs, settlements: [complete(lease)] })).rejects.toMatchObject(denied);
    await expect(two.settleLeases({ workerId: randomUUID(), settlements: [{ ...complete(lease), verb: { $case: 'release', value: { cause: ReleaseCause.DRAIN } } }] })).rejects.toMatchObject(denied);
    await expect(two.extendLeases({ workerId: theirs, answeredSeq: 0n, heldFences: [], extensions: [{ enqueueId, leaseToken, progress: Progress.create({ percent: 99, stage: 'stolen' }) }] })).rejects.toMatchObject(denied);
    expect((await queue.sql.query('select progress_stage from jobs')).rows).toEqual([{ progress_stage: '' }]);
    expect((await one.settleLeases({ workerId: mine, settlements: [complete(lease)] })).results).toMatchObject([{ verdict: SettlementVerdict.SETTLED }]);
  });

  test('a worker that had to register again still settles what it holds', async () => {
    const { one, lease } = await setUp();
    const again = randomUUID();
    await one.registerWorker(registration(again));
    expect((await one.settleLeases({ workerId: again, settlements: [complete(lease)] })).results).toMatchObject([{ verdict: SettlementVerdict.SETTLED }]);
  });

  test('a worker that came over plaintext is not another\'s either', async () => {
    const { two } = await setUp();
    const local = randomUUID();
    await queue.sql.query("insert into workers (worker_id, build, concurrency, state, registered_at, last_seen_at) values ($1, 'old@1', 1, 'active', now(), now())", [local]);
    await expect(two.deregisterWorker({ workerId: local })).rejects.toMatchObject({ reason: 'WORKER_NOT_OWN' });
  });
});

test('a producer is handed the outcomes of its own namespaces only', async () => {
  await queue.reset();
  const { queue: main } = by('ingest/main');
  await main.enqueueJobs({ jobs: [spec('x', { name: a }), spec('x', { name: b })] });
  for (const name of [a, b]) await by('operator/ada').queue.cancelJob({ name, enqueueId: 0n });
  const pull = async (c: SecureCaller): Promise<string[]> => (await c.queue.pullOutcomes({ kind: 'image', contractVersions: [1], maxOutcomes: 10, wait: undefined, producer: '' })).outcomes.map(({ name }) => name);
  expect(await pull(by('ingest/partner'))).toEqual([a]);
  expect(await pull(by('ingest/main'))).toEqual([b]);
});

test('a refusal is logged with who was refused', async () => {
  await outcomeOf(by('client/team-a').queue.getJob({ name: a }));
  expect(coordinator.log.find((line) => line['event'] === 'rpc_denied')).toMatchObject({ level: 'warn', identity: 'spiffe://leasehold/client/team-a', reason: 'ROLE_NOT_ALLOWED', method: '/leasehold.queue.v1.QueueService/GetJob' });
});
