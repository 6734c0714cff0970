import { ImportRejectionReason, ImportState } from '@leasehold/ingest-v1';
import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importContracts } from '../contract/import-contracts.js';
import { Contracts } from '../jobs/contracts.js';
import { Gate } from '../testbed/gate.fixture.js';
import { importJobOf, present, World, type Running } from '../testbed/ingest.fixture.js';

describe('what becomes of an import', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  beforeAll(async () => {
    world = await World.make();
    [ingest, other] = [await world.ingest(), await world.ingest()];
  });
  beforeEach(() => { world.coordinator.calls.length = 0; });
  afterEach(async () => {
    await world.db.pool.query('delete from import_jobs');
    world.coordinator.outcomes = [];
    world.coordinator.before = () => undefined;
    world.coordinator.verdictFor = () => undefined;
  });
  afterAll(() => world.end());

  const fate = (name: string): Promise<number> => ingest.metric('leasehold_imports_outcomes_total', { fate: name });
  const stateOf = async (name: string): Promise<ImportState> => (await ingest.import(name)).state;
  const fail = (job: string, reason: string, fence?: bigint): void => { world.coordinator.finish(job, { state: JobState.FAILED, reason, ...(fence === undefined ? {} : { fence }) }); };
  const tenMinutes = 10 * 60 * 1000 + 1_000;

  /** Rejected by its run, outcome pulled. */
  async function rejected(reason = 'NEGATIVE_STOCK'): Promise<{ name: string; job: string; etag: string }> {
    const { name, job } = await ingest.submitted();
    await world.reject(name, world.coordinator.grant(job), { reason });
    fail(job, reason);
    await ingest.run('import-outcomes');
    return { name, job, etag: (await ingest.import(name)).etag };
  }

  describe('an outcome is a proposal, and the row of the batch decides (I1)', () => {
    test('SUCCEEDED of an applied batch: APPLIED with the ledger\'s result; acknowledged, and nothing is owed any more', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job), [['A', 7], ['B', 0], ['A', -2]]);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({
        state: ImportState.APPLIED, result: { rows: 3n, zeroRows: 1n, skus: 2n, duplicateRows: 1n, unitsIn: 7n, unitsOut: 2n, catalogueGeneration: expect.any(BigInt), applyTime: expect.any(Date) }, endTime: expect.any(Date),
      });
      expect(world.coordinator.outcomes).toEqual([]);
      expect(await world.owed(name)).toBeUndefined();
    });

    test('EXHAUSTED of a batch that a run had applied before its worker died: it stays APPLIED', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      fail(job, 'EXHAUSTED');
      await ingest.run('import-outcomes');
      expect(await stateOf(name)).toBe(ImportState.APPLIED);
      expect(await world.moved(name)).toBe(1n);
    });

    test('EXHAUSTED of a batch that nothing applied: REJECTED, and a run that is still out applies nothing', async () => {
      const { name, job } = await ingest.submitted();
      const fence = world.coordinator.grant(job);
      await world.begin(name, fence);
      fail(job, 'EXHAUSTED');
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.REJECTED, rejection: { reason: ImportRejectionReason.EXHAUSTED, rowErrorCount: 0n, explanation: expect.stringMatching(/\.$/) } });
      expect(await world.apply(name, fence)).toMatchObject({ verdict: 'lost' });
      expect(await world.moved(name)).toBe(0n);
    });

    test.each([
      ['QUANTITY', ImportRejectionReason.QUANTITY],
      ['LEDGER_UNAVAILABLE', ImportRejectionReason.EXHAUSTED],
      ['A_WORD_OF_LATER', ImportRejectionReason.OTHER],
    ])('FAILED with %s of a batch that nothing ended: REJECTED with a reason from the closed list', async (reason, expected) => {
      const { name, job } = await ingest.submitted();
      fail(job, reason);
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.REJECTED, rejection: { reason: expected } });
    });

    test('CANCELLED by an operator: CANCELLED', async () => {
      const { name, job } = await ingest.submitted();
      world.coordinator.finish(job, { state: JobState.CANCELLED });
      await ingest.run('import-outcomes');
      expect(await stateOf(name)).toBe(ImportState.CANCELLED);
    });

    test.each(['SUCCEEDED', 'FAILED with ENDED'])('%s although the ledger knows of nothing, as after a restore: it is run again under a new generation, and applied once', async (how) => {
      const { name, job } = await ingest.submitted();
      world.coordinator.grant(job);
      world.coordinator.finish(job, how === 'SUCCEEDED' ? { state: JobState.SUCCEEDED } : { state: JobState.FAILED, reason: 'ENDED' });
      ingest.wakes.length = 0;
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, generation: 2 });
      expect(ingest.wakes).toContain('import-relay');
      await ingest.run('import-relay');
      const second = importJobOf(name, 2);
      await world.apply(name, world.coordinator.grant(second), [['A', 1]], 2);
      world.coordinator.finish(second, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      expect([await stateOf(name), await world.moved(name)]).toEqual([ImportState.APPLIED, 1n]);
    });

    test('in any order, twice, or at two ingests at once: the batch is decided once', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      const [success] = world.coordinator.outcomes;
      fail(job, 'EXHAUSTED');
      const [, failure] = world.coordinator.outcomes;
      world.coordinator.outcomes = [present(failure), present(success), present(failure)];
      await Promise.all([ingest.run('import-outcomes'), other.run('import-outcomes')]);
      const { etag } = await ingest.import(name);
      world.coordinator.outcomes = [present(success)];
      const stale = await fate('stale');
      await ingest.run('import-outcomes');
      expect(await fate('stale')).toBe(stale + 1);
      expect(world.coordinator.outcomes).toEqual([]);
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.APPLIED, etag });
    });

    test('of an earlier generation changes nothing, however late it comes', async () => {
      const { name, job, etag } = await rejected();
      await ingest.imports.retryImport({ name, etag });
      fail(job, 'EXHAUSTED');
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, generation: 2 });
      expect(await world.owed(name)).toMatchObject({ generation: 2 });
    });

    test('for an import that is not known is acknowledged and counted', async () => {
      const { job } = await ingest.submitted();
      fail(job, 'QUANTITY');
      const [outcome] = world.coordinator.outcomes;
      world.coordinator.outcomes = ['namespaces/team-a/kinds/import/jobs/nobody.1', 'namespaces/team-a/kinds/import/jobs/-'].map((name) => ({ ...present(outcome), name }));
      const unknown = await fate('unknown');
      await ingest.run('import-outcomes');
      expect(world.coordinator.outcomes).toEqual([]);
      expect(await fate('unknown')).toBe(unknown + 2);
    });

    test('whose acknowledgement was lost is acknowledged again, and changes nothing more', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      world.coordinator.before = (method) => { if (method === 'ackOutcomes') throw new Error('away'); };
      await expect(ingest.run('import-outcomes')).rejects.toThrow();
      const before = await ingest.import(name);
      world.coordinator.before = () => undefined;
      expect(await other.run('import-outcomes')).toBe(1);
      expect(await ingest.import(name)).toEqual(before);
    });

    test('is asked for of every version that this build reads, of imports alone', async () => {
      await ingest.run('import-outcomes');
      expect(world.coordinator.calls.findLast(({ method }) => method === 'pullOutcomes')?.request).toMatchObject({ kind: 'import', contractVersions: importContracts.versions });
    });

    test('is counted by reason and measured from when the import was queued', async () => {
      const { name, job } = await ingest.submitted();
      await world.ageImport(name, 60_000);
      const [count, reasons] = [await ingest.metric('leasehold_imports_time_to_final_seconds', { state: 'rejected', le: '+Inf' }), await ingest.metric('leasehold_imports_rejected_total', { reason: 'RAGGED' })];
      await world.reject(name, world.coordinator.grant(job), { reason: 'RAGGED' });
      fail(job, 'RAGGED');
      await ingest.run('import-outcomes');
      expect(await ingest.metric('leasehold_imports_rejected_total', { reason: 'RAGGED' })).toBe(reasons + 1);
      expect(await ingest.metric('leasehold_imports_time_to_final_seconds', { state: 'rejected', le: '+Inf' })).toBe(count + 1);
      expect(await ingest.registry.metrics()).toMatch(/leasehold_imports_time_to_final_seconds_bucket\{le="60",state="rejected"\}/);
    });
  });

  describe('CancelImport (I1)', () => {
    test('ends an ACCEPTED import at once, whatever is running; its job follows, and nothing is owed any more', async () => {
      const { name, job } = await ingest.submitted();
      const fence = world.coordinator.grant(job);
      await world.begin(name, fence);
      const { import: cancelled } = await ingest.imports.cancelImport({ name });
      expect(cancelled).toMatchObject({ state: ImportState.CANCELLED, endTime: expect.any(Date) });
      expect(await world.apply(name, fence)).toMatchObject({ verdict: 'lost' });
      expect(ingest.wakes).toContain('import-cancels');
      await other.run('import-cancels');
      expect(world.coordinator.jobs.get(job)?.state).toBe(JobState.CANCELLED);
      expect(await world.owed(name)).toBeUndefined();
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toEqual(cancelled);
      expect(await world.moved(name)).toBe(0n);
    });

    test('races with an apply: whoever the ledger heard first wins, and callers, stock and queue agree', async () => {
      const seen = new Set<ImportState>();
      for (let round = 0; round < 8; round++) {
        const { name, job } = await ingest.submitted();
        const fence = world.coordinator.grant(job);
        // Some rounds the one, some the other has a head start.
        const cancel = (): Promise<unknown> => ingest.imports.cancelImport({ name });
        const apply = (): Promise<unknown> => world.apply(name, fence);
        const [cancelled, applied] = round % 2 === 0 ? await Promise.allSettled([cancel(), apply()]) : (await Promise.allSettled([apply(), cancel()])).toReversed();
        const { state } = await ingest.import(name);
        seen.add(state);
        expect(applied?.status).toBe('fulfilled');
        expect(await world.moved(name)).toBe(state === ImportState.APPLIED ? 1n : 0n);
        if (state === ImportState.APPLIED) expect(cancelled).toMatchObject({ reason: { code: status.FAILED_PRECONDITION, reason: 'IMPORT_ENDED' } });
        else expect(cancelled?.status).toBe('fulfilled');
      }
      expect([...seen].every((state) => state === ImportState.APPLIED || state === ImportState.CANCELLED)).toBe(true);
    });

    test('of what was applied or rejected is refused; a repeat, also at another instance, answers the import', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      await expect(ingest.imports.cancelImport({ name })).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'IMPORT_ENDED', violations: [{ subject: name }] });
      await expect(ingest.imports.cancelImport({ name: (await rejected()).name })).rejects.toMatchObject({ reason: 'IMPORT_ENDED' });
      await expect(ingest.imports.cancelImport({ name: 'namespaces/team-a/imports/nobody' })).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'IMPORT_NOT_FOUND' });
      const { name: second } = await ingest.submitted();
      const first = await ingest.imports.cancelImport({ name: second });
      expect(await other.imports.cancelImport({ name: second })).toEqual(first);
    });

    test('before the job was relayed leaves a tombstone; the relay sends nothing any more', async () => {
      const { name } = await ingest.submit();
      await ingest.imports.cancelImport({ name });
      expect(await ingest.run('import-relay')).toBe(0);
      await ingest.run('import-cancels');
      expect(world.coordinator.tombstones.has(importJobOf(name))).toBe(true);
    });

    test('while the job is under way to the coordinator: that very enqueue is cancelled', async () => {
      const { name } = await ingest.submit();
      const released = new Gate();
      world.coordinator.before = (method) => (method === 'enqueueJobs' ? released.pass() : undefined);
      const relaying = ingest.run('import-relay');
      await expect.poll(() => world.coordinator.callsOf('enqueueJobs')).toBe(1);
      await ingest.imports.cancelImport({ name });
      released.open();
      await relaying;
      expect(world.coordinator.jobs.get(importJobOf(name))?.state).toBe(JobState.CANCELLED);
    });

    test('is repeated towards the coordinator until it is confirmed, from any instance', async () => {
      const { name, job } = await ingest.submitted();
      await ingest.imports.cancelImport({ name });
      world.coordinator.loseReplies('cancelJob', 1);
      await expect(ingest.run('import-cancels')).rejects.toMatchObject({ reason: 'REPLY_LOST' });
      expect(await world.owed(name)).toMatchObject({ cancel_due: expect.any(Date), relay_due: null });
      await other.run('import-cancels');
      expect([world.coordinator.jobs.get(job)?.state, await world.owed(name)]).toEqual([JobState.CANCELLED, undefined]);
    });
  });

  describe('RetryImport', () => {
    test('queues a REJECTED import again with the same file under a new generation, once per etag', async () => {
      const { name, etag } = await rejected();
      const before = await ingest.import(name);
      const all = await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? ingest : other).imports.retryImport({ name, etag })));
      expect(new Set(all.map((answer) => answer.import?.etag)).size).toBe(1);
      expect(all[0]?.import).toMatchObject({ state: ImportState.ACCEPTED, generation: 2, source: before.source, rejection: undefined, endTime: undefined });
      await ingest.run('import-relay');
      expect(world.coordinator.jobs.has(importJobOf(name, 2))).toBe(true);
    });

    test('a repeat long after answers the import as it is by then', async () => {
      const { name, etag } = await rejected();
      await ingest.imports.retryImport({ name, etag });
      await ingest.run('import-relay');
      const second = importJobOf(name, 2);
      await world.reject(name, world.coordinator.grant(second), { reason: 'SKU' }, 2);
      fail(second, 'SKU');
      await ingest.run('import-outcomes');
      expect((await other.imports.retryImport({ name, etag })).import).toMatchObject({ state: ImportState.REJECTED, generation: 2, rejection: { reason: ImportRejectionReason.SKU } });
    });

    test('is refused without an etag, with another one, and for what is not REJECTED', async () => {
      const { name } = await rejected();
      await expect(ingest.imports.retryImport({ name, etag: '' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'etag' }] });
      await expect(ingest.imports.retryImport({ name, etag: 'g9-r9' })).rejects.toMatchObject({ code: status.ABORTED, reason: 'ETAG_MISMATCH' });
      const accepted = await ingest.submit();
      await expect(ingest.imports.retryImport(accepted)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'IMPORT_NOT_REJECTED' });
      await expect(ingest.imports.retryImport({ name: 'namespaces/team-a/imports/nobody', etag: 'x' })).rejects.toMatchObject({ reason: 'IMPORT_NOT_FOUND' });
    });

    test('is refused once the file is no longer kept, whether or not the sweep was there; a corrected file is still taken', async () => {
      const [swept, late] = [await rejected(), await rejected()];
      const { source } = await ingest.import(swept.name);
      await world.store.deleteVersion(`shipments/team-a/${swept.name.split('/')[3]}`, present(source).versionId);
      await expect(ingest.imports.retryImport(swept)).rejects.toMatchObject({ code: status.FAILED_PRECONDITION, reason: 'SOURCE_GONE' });
      await world.ageImport(late.name, 91 * 24 * 60 * 60 * 1000);
      await expect(ingest.imports.retryImport(late)).rejects.toMatchObject({ reason: 'SOURCE_GONE' });
      expect(await ingest.submit(late.name.split('/')[3], 'sku,quantity\nB,1\n')).toMatchObject({ state: ImportState.ACCEPTED, generation: 2 });
    });
  });

  describe('the relay and healing of imports', () => {
    test('stored bytes are sent again after a lost reply, from another instance, and make one job', async () => {
      const { name } = await ingest.submit();
      const owed = present(await world.owed(name));
      world.coordinator.loseReplies('enqueueJobs', 1);
      await expect(ingest.run('import-relay')).rejects.toMatchObject({ reason: 'REPLY_LOST' });
      await other.run('import-relay');
      expect(world.coordinator.specs.get(importJobOf(name))).toMatchObject({ payload: owed['job_payload'], contentDigest: owed['job_digest'] });
      expect(await world.owed(name)).toMatchObject({ relay_due: null, enqueue_id: world.coordinator.jobs.get(importJobOf(name))?.enqueueId });
    });

    test('CONTRACT_CLOSED lets it encode anew by another version, as the same job; any other refusal keeps the bytes and waits', async () => {
      const v1 = importContracts.preferred;
      const both = await world.ingest({ importContracts: new Contracts([{ ...v1, version: 2, encode: (job) => Buffer.concat([v1.encode(job), Buffer.from([0xf8, 0x07, 1])]) }, v1]) });
      const { name } = await both.submit();
      const before = present(await world.owed(name));
      world.coordinator.verdictFor = (spec) => (spec.contractVersion === 2 ? EnqueueVerdict.CONTRACT_CLOSED : EnqueueVerdict.INVALID);
      await both.run('import-relay');
      await both.run('import-relay');
      expect(await world.owed(name)).toMatchObject({ job_contract_version: 1, job_digest: before['job_digest'], relay_refusal: 'invalid: scripted refusal' });
      world.coordinator.verdictFor = () => undefined;
      await world.ageImport(name, 120_000);
      await both.run('import-relay');
      expect(world.coordinator.specs.get(importJobOf(name))).toMatchObject({ contractVersion: 1 });
    });

    test('a job that the coordinator forgot comes back with the same bytes, once, and not before its time', async () => {
      const { name, job } = await ingest.submitted();
      const sent = present(world.coordinator.specs.get(job));
      world.coordinator.forget(job);
      expect(await ingest.run('import-healing')).toBe(0);
      await world.ageImport(name, tenMinutes);
      const healed = await Promise.all([ingest.run('import-healing'), other.run('import-healing')]);
      expect(healed[0] + healed[1]).toBe(1);
      await ingest.run('import-relay');
      expect(world.coordinator.specs.get(job)).toEqual(sent);
    });

    test('a job that had ended while its outcome was lost brings it along: every ACCEPTED import ends', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      world.coordinator.outcomes = [];
      await world.ageImport(name, tenMinutes);
      await ingest.run('import-healing');
      await ingest.run('import-relay');
      expect(await world.owed(name)).toBeUndefined();
      expect(await stateOf(name)).toBe(ImportState.APPLIED);
      await world.ageImport(name, tenMinutes);
      expect(await ingest.run('import-healing')).toBe(0);
    });

    test('the figures tell how many wait, since when, and how far relay and cancels lag', async () => {
      const fresh = await World.make();
      const looking = await fresh.ingest();
      const { name } = await looking.submit();
      const { name: gone } = await looking.submit();
      await looking.imports.cancelImport({ name: gone });
      await fresh.ageImport(name, 60_000);
      await fresh.ageImport(gone, 120_000);
      await looking.run('figures');
      expect(await looking.metric('leasehold_imports_accepted')).toBe(1);
      for (const [figure, least] of [['oldest_accepted_seconds', 60], ['relay_lag_seconds', 60], ['cancel_lag_seconds', 120]] as const) expect(await looking.metric(`leasehold_imports_${figure}`)).toBeGreaterThanOrEqual(least);
      await fresh.end();
    });
  });
});
