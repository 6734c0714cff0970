import { ImportRejectionReason, ImportState, type Import } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { collected } from '../testbed/gate.fixture.js';
import { present, World, type Running } from '../testbed/ingest.fixture.js';

describe('what callers read of imports', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  beforeAll(async () => {
    world = await World.make();
    [ingest, other] = [await world.ingest(), await world.ingest()];
  });
  afterEach(() => { world.coordinator.before = () => undefined; });
  afterAll(() => world.end());

  const faults = (count: number) => Array.from({ length: count }, (_, i) => ({ line: i + 2, column: 'quantity', code: 'QUANTITY', message: `row ${i + 2}` }));
  const running = { percent: 40, stage: 'reading', items: 1_000n, bytes: 5_000_000_000n, bytesTotal: 9_000_000_000n };

  describe('progress (I6)', () => {
    test('is shown as PROCESSING with attempt, rows and bytes while a worker holds the lease, and falls back to ACCEPTED', async () => {
      const { name, job } = await ingest.submitted();
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, progress: { attempt: 0, maxAttempts: 3, stage: '' } });
      world.coordinator.grant(job, running);
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.PROCESSING, progress: { attempt: 1, maxAttempts: 3, percent: 40, stage: 'reading', rows: 1_000n, bytes: 5_000_000_000n, bytesTotal: 9_000_000_000n } });
      present(world.coordinator.jobs.get(job)).state = JobState.QUEUED;
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, progress: { rows: 0n, bytes: 0n } });
    });

    test('is missing, and no read fails, while the coordinator is away', async () => {
      const { name } = await ingest.submitted();
      world.coordinator.before = () => { throw new Error('away'); };
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, progress: undefined });
    });
  });

  describe('WatchImport (I6)', () => {
    test('sends each state, attempt, rows and bytes, the final one too, and then ends', async () => {
      const { name, job } = await ingest.submitted();
      const seen: Import[] = [];
      for await (const { import: now } of ingest.imports.watchImport({ name })) {
        seen.push(present(now));
        if (seen.length === 1) world.coordinator.grant(job, running);
        if (seen.length === 2) present(world.coordinator.jobs.get(job)).progress = { ...running, items: 2_000n };
        if (seen.length === 3) {
          await world.apply(name, present(world.coordinator.jobs.get(job)).fence);
          world.coordinator.finish(job, { state: JobState.SUCCEEDED });
          await ingest.run('import-outcomes');
        }
      }
      expect(seen.map(({ state, progress }) => [state, progress?.rows])).toEqual([[ImportState.ACCEPTED, 0n], [ImportState.PROCESSING, 1_000n], [ImportState.PROCESSING, 2_000n], [ImportState.APPLIED, undefined]]);
    });

    test('an observer that was away just watches again, at another instance, and has missed nothing', async () => {
      const { name, job } = await ingest.submitted();
      for await (const { import: now } of ingest.imports.watchImport({ name })) {
        expect(now?.state).toBe(ImportState.ACCEPTED);
        break;
      }
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      const again = await collected(other.imports.watchImport({ name }));
      expect(again.map((message) => message.import?.state)).toEqual([ImportState.APPLIED]);
    });

    test('is woken by what happens at another instance, and looks by itself as well', async () => {
      const slow = await world.ingest({ env: { LEASEHOLD_WATCH_PROGRESS_EVERY: '1h' } });
      const { name } = await ingest.submitted();
      const watching = slow.imports.watchImport({ name })[Symbol.asyncIterator]();
      await watching.next();
      await ingest.imports.cancelImport({ name });
      expect((await watching.next()).value?.import?.state).toBe(ImportState.CANCELLED);
      expect((await watching.next()).done).toBe(true);
    });

    test('of an unknown import fails', async () => {
      await expect(collected(ingest.imports.watchImport({ name: 'namespaces/team-a/imports/nobody' }))).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'IMPORT_NOT_FOUND' });
      await expect(collected(ingest.imports.watchImport({ name: 'imports/x' }))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    });
  });

  describe('the journal (I4)', () => {
    test('has every import, newest first, in stable pages that are bound to their list', async () => {
      const parent = 'namespaces/team-pages';
      for (const id of ['one', 'two', 'three', 'four', 'five']) await ingest.submit(id, undefined, { parent });
      await ingest.imports.cancelImport({ name: `${parent}/imports/two` });
      const list = async (request: { pageSize?: number; pageToken?: string; states?: ImportState[] }) => {
        const { imports, nextPageToken } = await ingest.imports.listImports({ parent, pageSize: 2, pageToken: '', states: [], ...request });
        return { ids: imports.map(({ name }) => name.split('/')[3]), nextPageToken };
      };
      const first = await list({});
      await ingest.submit('six', undefined, { parent });
      const second = await list({ pageToken: first.nextPageToken });
      const third = await list({ pageToken: second.nextPageToken });
      expect([first.ids, second.ids, third]).toEqual([['five', 'four'], ['three', 'two'], { ids: ['one'], nextPageToken: '' }]);
      expect((await list({ states: [ImportState.CANCELLED] })).ids).toEqual(['two']);
      await expect(list({ pageToken: first.nextPageToken, states: [ImportState.APPLIED] })).rejects.toMatchObject({ fieldViolations: [{ field: 'page_token' }] });
      await expect(list({ states: [ImportState.PROCESSING] })).rejects.toMatchObject({ fieldViolations: [{ field: 'states[0]' }] });
      await expect(list({ pageSize: -1 })).rejects.toMatchObject({ fieldViolations: [{ field: 'page_size' }] });
    });

    test('tells why a file was refused, row by row, after the queue has pruned its record, and after the row errors were archived', async () => {
      const { name, job } = await ingest.submitted();
      await world.reject(name, world.coordinator.grant(job), { reason: 'QUANTITY', faultCount: 250, faults: faults(100) });
      world.coordinator.finish(job, { state: JobState.FAILED, reason: 'QUANTITY' });
      await ingest.run('import-outcomes');
      world.coordinator.forget(job);
      const hasty = await world.ingest({ env: { LEASEHOLD_ARCHIVE_AFTER: '1ms' } });
      await expect.poll(() => hasty.run('archive')).toBe(0);
      expect((await world.db.pool.query('select 1 from import_row_errors')).rowCount).toBe(0);
      expect(await hasty.metric('leasehold_imports_archived_rows_total')).toBeGreaterThanOrEqual(100);

      const refused = await ingest.import(name);
      expect(refused.rejection).toMatchObject({ reason: ImportRejectionReason.QUANTITY, rowErrorCount: 250n });
      expect(refused.rejection?.rowErrors.map(({ line }) => line)).toEqual(faults(10).map(({ line }) => BigInt(line)));
      const pages = [];
      let pageToken = '';
      do {
        const page = await ingest.imports.listImportRowErrors({ parent: name, pageSize: 40, pageToken });
        pages.push(page.rowErrors);
        pageToken = page.nextPageToken;
      } while (pageToken !== '');
      expect(pages.map((page) => page.length)).toEqual([40, 40, 20]);
      expect(pages.flat()).toEqual(faults(100).map((fault) => ({ ...fault, line: BigInt(fault.line), code: ImportRejectionReason.QUANTITY })));
      await expect(ingest.imports.listImportRowErrors({ parent: 'namespaces/team-a/imports/nobody', pageSize: 0, pageToken: '' })).rejects.toMatchObject({ reason: 'IMPORT_NOT_FOUND' });
    });

    test('shows until when a batch is known where a term is set, and takes its id again after it; by default it is for ever', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      expect((await ingest.import(name)).idempotencyExpireTime).toBeUndefined();
      expect(await ingest.run('idempotency')).toBe(0);

      const parent = 'namespaces/team-term';
      await world.db.pool.query("insert into idempotency_terms (namespace, term) values ('team-term', interval '1 hour')");
      const limited = await ingest.submit('batch', undefined, { parent });
      await ingest.run('import-relay');
      const its = `${parent}/kinds/import/jobs/batch.1`;
      await world.apply(limited.name, world.coordinator.grant(its));
      const shown = await ingest.import(limited.name);
      expect(shown.idempotencyExpireTime?.getTime()).toBeGreaterThan(Date.now());
      await world.db.pool.query("update applied_batches set expire_time = now() - interval '1 second' where namespace = 'team-term'");
      await world.db.pool.query("update imports set idempotency_expire_time = now() - interval '1 second' where namespace = 'team-term'");
      expect(await ingest.run('idempotency')).toBe(1);
      expect(await ingest.submit('batch', undefined, { parent })).toMatchObject({ state: ImportState.ACCEPTED, generation: 2 });
    });
  });
});
