import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, writeCertificateFolder } from '@leasehold/development-ca';
import { freePort, leftOut } from '@leasehold/test-stack';
import { describe, expect, test } from 'vitest';
import { BullmqUnderTest } from '../../testing/bullmq-under-test.js';
import { CuttableProxy } from '../../testing/cuttable-proxy.js';
import { enqueueImport, importer, take } from '../../testing/imports-under-test.js';
import { complete, enqueueOne, failTechnical, only, WorkerUnderTest } from '../../testing/queue-under-test.js';

const soon = { timeout: 15_000 };

/** Enqueue, grant, retry, completion. */
async function wholeWay(under: BullmqUnderTest, env: NodeJS.ProcessEnv): Promise<void> {
  const one = await under.coordinator({ env });
  await enqueueImport(one, 'a');
  const worker = await importer(one);
  await worker.settle(one, failTechnical(only(await take(worker, one))));
  await worker.settle(one, complete(only(await take(worker, one))));
  await under.ready(one);
  expect(await under.metric(one, 'leasehold_dispatcher_proposals_total{kind="import",version="1",event="move_lost"')).toBe(0);
}

describe.skipIf(leftOut('redis'))('the Redis of a coordinator', { timeout: 60_000 }, () => {
  test('I10: that may evict makes it not ready, at the start and later, with what to set', async () => {
    const under = await BullmqUnderTest.open({ settings: { maxmemory: '4mb', 'maxmemory-policy': 'allkeys-lru' } });
    try {
      const one = await under.coordinator();
      await expect.poll(() => under.notReady(one), soon).toMatch(/maxmemory-policy allkeys-lru\): set maxmemory-policy noeviction/);
      await under.client.config('SET', 'maxmemory-policy', 'noeviction');
      await under.ready(one);
      await under.client.config('SET', 'maxmemory-policy', 'volatile-ttl');
      await expect.poll(() => under.notReady(one), soon).toMatch(/volatile-ttl/);
      // Jobs that it evicts are proposed again all the same.
      await enqueueImport(one, 'a');
      expect(only(await take(await importer(one), one)).jobId).toBe('a');
    } finally {
      await under.close();
    }
  });

  test('whose eviction policy cannot be read makes it not ready', async () => {
    const under = await BullmqUnderTest.open();
    try {
      await under.client.acl('SETUSER', 'blind', 'on', '>secret-password', '~*', '&*', '+@all', '-info');
      const one = await under.coordinator({ env: { LEASEHOLD_REDIS_URL: `redis://blind:secret-password@127.0.0.1:${under.redis.port}` } });
      await expect.poll(() => under.notReady(one), soon).toMatch(/cannot be read|INFO/i);
      expect(JSON.stringify(one.log)).not.toContain('secret-password');
    } finally {
      await under.close();
    }
  });

  test('that cannot be reached around a due time costs at most 5 s, and is not asked in a busy loop', async () => {
    const under = await BullmqUnderTest.open();
    const proxy = await CuttableProxy.before(under.redis.port);
    try {
      const one = await under.coordinator({ env: { LEASEHOLD_REDIS_URL: `redis://127.0.0.1:${proxy.port}` } });
      await under.queue.policy({ retry_initial_ms: 2_000, retry_max_ms: 2_000, retry_spread: 0 }, 'import');
      await enqueueImport(one, 'a');
      const worker = await importer(one);
      await worker.settle(one, failTechnical(only(await take(worker, one))));
      const before = proxy.attempts;
      proxy.cut();
      await expect.poll(async () => (await under.queue.sql.query('select from jobs where available_at < now() - interval $$1 second$$')).rowCount, { timeout: 10_000 }).toBe(1);
      expect(proxy.attempts - before).toBeLessThan(30);
      proxy.restore();
      only(await take(worker, one));
      const { rows } = await under.queue.sql.query("select granted_at - available_at < interval '5 seconds' as in_time from jobs");
      expect(rows).toEqual([{ in_time: true }]);
    } finally {
      await under.close();
      await proxy.stop();
    }
  });

  test('may be a Cluster: by one address of a node, and by several', async () => {
    const under = await BullmqUnderTest.open({ settings: { 'cluster-enabled': 'yes', 'cluster-announce-ip': '127.0.0.1' } });
    try {
      await under.client.cluster('ADDSLOTSRANGE', 0, 16383);
      await expect.poll(() => under.client.cluster('INFO'), soon).toMatch(/cluster_state:ok/);
      await wholeWay(under, {});
      await under.queue.reset();
      await wholeWay(under, { LEASEHOLD_REDIS_URL: `${under.redis.url}, ${under.redis.url}`, LEASEHOLD_REDIS_PREFIX: 'other' });
    } finally {
      await under.close();
    }
  });

  test('may be spoken to over TLS', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'leasehold-redis-tls-'));
    const authority = await Authority.create();
    const { ca, certificate, key } = await writeCertificateFolder(folder, await authority.issue({ uris: [], hosts: ['localhost'] }), authority);
    const tlsPort = await freePort();
    const under = await BullmqUnderTest.open({ settings: { 'tls-port': String(tlsPort), 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': ca, 'tls-auth-clients': 'no' } });
    try {
      await wholeWay(under, { LEASEHOLD_REDIS_URL: `rediss://localhost:${tlsPort}`, LEASEHOLD_REDIS_CA: ca });
      const stranger = await under.coordinator({ env: { LEASEHOLD_REDIS_URL: `rediss://localhost:${tlsPort}` } });
      await expect.poll(() => under.notReady(stranger), soon).toMatch(/certificate/i);
    } finally {
      await under.close();
      await rm(folder, { recursive: true });
    }
  });

  test('moves the kinds that it was told to, once and audited, and none back; without one a coordinator is not ready', async () => {
    const under = await BullmqUnderTest.open();
    try {
      const plain = await under.queue.coordinator();
      await enqueueImport(plain, 'before');
      await under.coordinator();
      const one = await under.coordinator();
      const { rows } = await under.queue.sql.query("select action, subject, detail from audit_events where action = 'set_dispatcher'");
      expect(rows).toEqual([{ action: 'set_dispatcher', subject: 'import', detail: 'bullmq instead of postgres, as LEASEHOLD_BULLMQ_KINDS of a coordinator says' }]);
      await expect.poll(() => under.notReady(plain, 'dispatchers'), soon).toBe('import wants bullmq, which this coordinator does not have: set LEASEHOLD_REDIS_URL');
      // What was enqueued before comes over the new way; a coordinator that does not have it still grants by the rows.
      await enqueueImport(plain, 'at the other'.replaceAll(' ', '-'));
      const worker = await importer(one);
      expect((await take(worker, one, 2)).map((lease) => lease.jobId).toSorted((a, b) => a.localeCompare(b))).toEqual(['at-the-other', 'before']);
      await expect.poll(() => under.records.getActiveCount(), soon).toBe(2);
      // The way back.
      await enqueueImport(one, 'after');
      await under.queue.sql.query("update kind_policies set dispatcher = 'postgres' where kind = 'import'");
      expect(only(await take(worker, plain)).jobId).toBe('after');
      await expect.poll(() => under.notReady(plain, 'dispatchers'), soon).toBeUndefined();
      await enqueueImport(one, 'last');
      expect(only(await take(worker, one)).jobId).toBe('last');
    } finally {
      await under.close();
    }
  });

  test('is not asked for kinds that it does not dispatch; a kind that nobody knows is refused at the start', async () => {
    const under = await BullmqUnderTest.open();
    try {
      const one = await under.coordinator({ env: { LEASEHOLD_BULLMQ_KINDS: 'none' } });
      await under.redis.kill();
      await enqueueOne(one, 'image');
      expect(only(await (await new WorkerUnderTest().register(one)).acquire(one)).jobId).toBe('image');
      await enqueueImport(one, 'import');
      expect(only(await take(await importer(one), one)).jobId).toBe('import');
      expect(await under.notReady(one)).toBeUndefined();
      await expect(under.coordinator({ env: { LEASEHOLD_BULLMQ_KINDS: 'thumbnail' } })).rejects.toThrow(/thumbnail, which the queue does not know/);
    } finally {
      await under.close();
    }
  });

  test.each([
    ['LEASEHOLD_REDIS_URL', 'http://127.0.0.1:6379'], ['LEASEHOLD_REDIS_PREFIX', 'with:colon'], ['LEASEHOLD_REDIS_CA', '/nowhere/ca.pem'], ['LEASEHOLD_BULLMQ_KINDS', 'Import'],
  ])('%s %s is refused, and its value is not repeated', async (variable, value) => {
    const under = await BullmqUnderTest.open();
    try {
      const refusal = under.coordinator({ env: { [variable]: value } });
      await expect(refusal).rejects.toMatchObject({ name: 'ConfigError', problems: [{ variable }] });
      await expect(refusal).rejects.not.toThrow(value);
    } finally {
      await under.close();
    }
  });
});
