import { rm } from 'node:fs/promises';
import { inspect } from 'node:util';
import type { EmbeddedStore } from '@leasehold/object-store';
import { JobFault, LeaseLost, LeaseUntrusted } from '@leasehold/worker-runtime';
import { Failpoints, testJob } from '@leasehold/worker-runtime/testing';
import { createLogger } from '@leasehold/service';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Failpoint } from '../testing/failpoints.js';
import { pausingHandler } from '../testing/pausing-handler.js';
import { openShipmentBed, type ShipmentBed } from '../testing/shipment-bed.js';
import { importHandler } from './import-handler.js';

const log = createLogger({ service: 'import-worker', level: 'silent' });
let bed: ShipmentBed;
beforeEach(async () => {
  bed = await openShipmentBed();
});
afterEach(() => bed.close());

const good = 'sku,quantity,note\nA,5,x\nB,7,"a, b"\nA,-2,\nC,0,\n';
const stopAt = (point: Failpoint): Failpoints<Failpoint> => new Failpoints({ points: [point], stops: 1, logger: log });
const standsStill = (failpoints: Failpoints<Failpoint>): Promise<void> => vi.waitFor(() => expect(failpoints.waiting).toBe(1), { timeout: 10_000 });
const outcome = (run: Promise<unknown>): Promise<unknown> => run.then((value) => value, (error: unknown) => error);
const runsBy = async (): Promise<Record<string, number>> => {
  const metric = await bed.registry.getSingleMetric('leasehold_import_runs_total')?.get();
  return Object.fromEntries((metric?.values ?? []).filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels['verdict']), value]));
};

describe('a sound shipment', () => {
  test('changes the stock by its sums, and its result counts rows, zeros and repeated SKUs', async () => {
    const { order } = await bed.submit('monday', good);
    const { job, progress } = testJob(order);
    expect(await importHandler(bed.parts).run(job)).toMatchObject({ rows: 4n, zeroRows: 1n, skus: 3n, duplicateRows: 1n, unitsIn: 12n, unitsOut: 2n, catalogueGeneration: 1n });
    expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
    expect(await bed.ledger.imbalance('team')).toEqual([]);
    const size = Buffer.byteLength(good);
    expect(progress.at(0)).toEqual({ percent: 0, stage: 'fetching', items: 0, bytes: 0, bytesTotal: size });
    expect(progress.at(-1)).toEqual({ percent: 80, stage: 'applying', items: 4, bytes: size, bytesTotal: size });
    expect(await runsBy()).toEqual({ applied: 1 });
  });

  test('is applied once: a second run answers the first one\'s result', async () => {
    const { order } = await bed.submit('monday', good);
    const first = await importHandler(bed.parts).run(testJob(order, { fence: 7n }).job);
    const second = await importHandler(bed.parts).run(testJob(order, { fence: 8n, tokenDigest: Buffer.alloc(32, 8) }).job);
    expect(second).toEqual(first);
    expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
    expect(await runsBy()).toEqual({ applied: 1, applied_before: 1 });
  });

  test('is found applied by its own run too, when only the answer to the apply was lost', async () => {
    const { order } = await bed.submit('monday', good);
    const losing = {
      ...bed.parts,
      ledger: {
        begin: (...a: Parameters<typeof bed.parts.ledger.begin>) => bed.parts.ledger.begin(...a),
        reject: (...a: Parameters<typeof bed.parts.ledger.reject>) => bed.parts.ledger.reject(...a),
        openRun: async (...a: Parameters<typeof bed.parts.ledger.openRun>) => {
          const staged = await bed.parts.ledger.openRun(...a);
          return {
            copyText: (chunks: AsyncIterable<Uint8Array>) => staged.copyText(chunks),
            close: () => staged.close(),
            apply: async (left: () => number) => {
              await staged.apply(left);
              throw Object.assign(new Error('Connection terminated unexpectedly'));
            },
          };
        },
      },
    };
    expect(await outcome(importHandler(losing).run(testJob(order).job))).toMatchObject({ reason: 'LEDGER_UNAVAILABLE', faultClass: 'technical' });
    expect(await importHandler(bed.parts).run(testJob(order, { fence: 8n }).job)).toMatchObject({ rows: 4n });
    expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
  });
});

describe('a file that is no shipment', () => {
  test('is refused for good under the code of its first fault, with all its faults kept for its owner, and applies nothing', async () => {
    const { order } = await bed.submit('monday', 'sku,quantity\nA,5\nB,many\n,3\n');
    expect(await outcome(importHandler(bed.parts).run(testJob(order).job))).toMatchObject({ reason: 'QUANTITY', faultClass: 'content' });
    expect(await bed.ledger.quantities('team')).toEqual({});
    const id = { namespace: 'team', importId: 'monday' };
    expect(await bed.ledger.ledger.find(id)).toMatchObject({ state: 'rejected', rejection: { reason: 'QUANTITY', faultCount: 2n }, endedBy: 'run' });
    expect(await bed.ledger.ledger.rowErrors(id, { limit: 10 })).toMatchObject([{ line: 3, column: 'quantity', code: 'QUANTITY' }, { line: 4, column: 'sku', code: 'SKU' }]);
    expect(await runsBy()).toEqual({ rejected: 1 });
  });

  test('that would take more than there is names the SKUs, and the whole file is refused', async () => {
    await importHandler(bed.parts).run(testJob((await bed.submit('monday', good)).order).job);
    const { order } = await bed.submit('tuesday', 'sku,quantity\nB,1\nA,-3\nA,-1\nD,-1\n');
    expect(await outcome(importHandler(bed.parts).run(testJob(order, { fence: 8n }).job))).toMatchObject({ reason: 'NEGATIVE_STOCK', faultClass: 'content' });
    expect(await bed.ledger.quantities('team')).toEqual({ A: 3n, B: 7n });
    const errors = await bed.ledger.ledger.rowErrors({ namespace: 'team', importId: 'tuesday' }, { limit: 10 });
    expect(errors.map(({ line, code }) => `${line} ${code}`)).toEqual(['3 NEGATIVE_STOCK', '5 NEGATIVE_STOCK']);
    expect(errors[0]?.message).toContain('takes 4 of "A" in all, and 3 are in stock');
  });

  test('is told so again by every later run', async () => {
    const { order } = await bed.submit('monday', 'sku\n');
    await outcome(importHandler(bed.parts).run(testJob(order).job));
    expect(await outcome(importHandler(bed.parts).run(testJob(order, { fence: 8n }).job))).toMatchObject({ reason: 'ENDED', faultClass: 'content' });
    expect(await runsBy()).toEqual({ rejected: 1, ended: 1 });
  });

  test('is not judged by bytes that are not those that were submitted: a store that gives others is SOURCE_MISMATCH, and the import stays ACCEPTED', async () => {
    const { order } = await bed.submit('monday', good);
    async function* changed(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('no shipment at all\n'.padEnd(order.source.sizeBytes, '\n'));
    }
    const store: EmbeddedStore = Object.assign(Object.create(bed.store), {
      get: async (...asked: Parameters<EmbeddedStore['get']>) => {
        const { version: { sha256: _, ...version } } = await bed.store.get(...asked);
        return { version, body: changed() };
      },
    });
    expect(await outcome(importHandler({ ...bed.parts, store }).run(testJob(order).job))).toMatchObject({ reason: 'SOURCE_MISMATCH' });
    expect(await bed.ledger.ledger.find({ namespace: 'team', importId: 'monday' })).toMatchObject({ state: 'accepted' });
  });
});

describe('the ledger\'s row decides', () => {
  test('a cancelled import is not applied, and its run says ENDED', async () => {
    const { order } = await bed.submit('monday', good);
    await bed.ledger.ledger.cancel({ namespace: 'team', importId: 'monday' });
    expect(await outcome(importHandler(bed.parts).run(testJob(order).job))).toMatchObject({ reason: 'ENDED', faultClass: 'content' });
    expect(await bed.ledger.quantities('team')).toEqual({});
  });

  test('an import that is cancelled while its file is read is not applied either', async () => {
    const { order } = await bed.submit('monday', good);
    const failpoints = stopAt('copied');
    const end = outcome(pausingHandler(bed.parts, failpoints).run(testJob(order).job));
    await standsStill(failpoints);
    await bed.ledger.ledger.cancel({ namespace: 'team', importId: 'monday' });
    failpoints.release();
    expect(await end).toMatchObject({ reason: 'ENDED' });
    expect(await bed.ledger.quantities('team')).toEqual({});
  });

  test.each<[Failpoint, string]>([['granted', good], ['reading', good], ['copied', good], ['reading', 'sku,quantity\nA,1\nB,wrong\n'], ['copied', 'sku,quantity\nNONE,-1\n']])(
    'a run that is overtaken at «%s» settles nothing as success, and changes nothing (%j)', async (point, content) => {
      const { order } = await bed.submit('monday', content);
    const failpoints = stopAt(point);
      const slow = outcome(pausingHandler(bed.parts, failpoints).run(testJob(order, { fence: 7n }).job));
      await standsStill(failpoints);
      const winner = { namespace: 'team', importId: 'monday', generation: 1, fence: 8n, tokenDigest: Buffer.alloc(32, 8) };
      expect(await bed.ledger.worker.begin(winner)).toMatchObject({ verdict: 'begun' });
      failpoints.release();
      expect(await slow).toMatchObject({ reason: 'INTERNAL', faultClass: 'technical' });
      expect(await bed.ledger.ledger.find({ namespace: 'team', importId: 'monday' })).toMatchObject({ state: 'accepted', fence: 8n });
      expect(await bed.ledger.quantities('team')).toEqual({});
      expect(await runsBy()).toEqual({ superseded: 1 });
    },
  );

  test('a run of an earlier generation says ENDED', async () => {
    const { order } = await bed.submit('monday', 'sku\n');
    await outcome(importHandler(bed.parts).run(testJob(order).job));
    expect(await bed.submit('monday', good)).toMatchObject({ verdict: 'reopened', order: { generation: 2 } });
    expect(await outcome(importHandler(bed.parts).run(testJob(order, { fence: 9n }).job))).toMatchObject({ reason: 'ENDED', faultClass: 'content' });
    expect(await bed.ledger.ledger.find({ namespace: 'team', importId: 'monday' })).toMatchObject({ state: 'accepted', generation: 2 });
  });

  test('an import that the ledger does not know condemns nothing', async () => {
    const { order } = await bed.submit('monday', good);
    expect(await outcome(importHandler(bed.parts).run(testJob({ ...order, importId: 'tuesday' }).job))).toMatchObject({ reason: 'LEDGER_UNAVAILABLE', faultClass: 'technical' });
  });
});

describe('a run that is told to stop', () => {
  test.each<Failpoint>(['granted', 'reading', 'copied'])('at «%s» ends with its signal\'s reason, and leaves nothing', async (point) => {
    const { order } = await bed.submit('monday', good);
    const failpoints = stopAt(point);
    const { job, stop } = testJob(order);
    const end = outcome(pausingHandler(bed.parts, failpoints).run(job));
    await standsStill(failpoints);
    const reason = new LeaseLost();
    stop(reason);
    failpoints.release();
    expect(await end).toBe(reason);
    expect(await bed.ledger.quantities('team')).toEqual({});
    expect(await runsBy()).toEqual({ stopped: 1 });
    // Its connection, and with it the rows that nobody else saw, is gone.
    await expect.poll(async () => (await bed.ledger.owner.pool.query('select from pg_class where relpersistence = \'t\' and relname = \'import_rows\'')).rowCount).toBe(0);
  });

  test('while it waits for a lock in the apply ends at once', async () => {
    const { order } = await bed.submit('monday', good);
    const blocker = await bed.ledger.owner.pool.connect();
    try {
      await blocker.query('begin');
      await blocker.query('select from imports where import_id = $1 for update', ['monday']);
      const { job, stop } = testJob(order);
      // The stamp of begin waits for the lock as well: it is let through first.
      await blocker.query('commit');
    const failpoints = stopAt('copied');
      const end = outcome(pausingHandler(bed.parts, failpoints).run(job));
      await standsStill(failpoints);
      await blocker.query('begin');
      await blocker.query('select from imports where import_id = $1 for update', ['monday']);
      failpoints.release();
      const waits = async (): Promise<number | null> => (await bed.ledger.owner.pool.query('select from pg_locks where not granted')).rowCount;
      await expect.poll(waits, { timeout: 10_000 }).toBeGreaterThan(0);
      const reason = new LeaseLost();
      stop(reason);
      expect(await end).toBe(reason);
    } finally {
      await blocker.query('rollback');
      blocker.release();
    }
  });

  test('by its own bound is TIMEOUT', async () => {
    const { order } = await bed.submit('monday', good);
    const { job, stop } = testJob(order);
    stop(new LeaseUntrusted(true));
    expect(await outcome(importHandler(bed.parts).run(job))).toMatchObject({ reason: 'TIMEOUT', faultClass: 'technical' });
  });
});

describe('a fault around the file is technical, and the import stays ACCEPTED', () => {
  const stillAccepted = async (): Promise<void> => {
    expect(await bed.ledger.ledger.find({ namespace: 'team', importId: 'monday' })).toMatchObject({ state: 'accepted' });
  };

  test('what the database quotes of the file stays out of the fault, and so out of the log', async () => {
    const { order } = await bed.submit('monday', good);
    const failing = { begin: async () => { throw Object.assign(new Error('invalid input syntax: "MARKER"'), { severity: 'ERROR', code: '22P02', detail: 'Failing row contains (MARKER)', where: 'COPY import_rows, line 2: "MARKER"' }); } };
    const fault = await outcome(importHandler({ ...bed.parts, ledger: Object.assign(Object.create(bed.ledger.worker), failing) }).run(testJob(order).job));
    expect(fault).toMatchObject({ reason: 'INTERNAL', faultClass: 'technical', message: 'the database said 22P02' });
    expect(inspect(fault, { depth: 9 })).not.toContain('MARKER');
  });

  test('and is counted by what is at fault', async () => {
    const { order } = await bed.submit('monday', good);
    await rm(bed.store.directory, { recursive: true });
    await outcome(importHandler(bed.parts).run(testJob(order).job));
    const faults = await bed.registry.getSingleMetric('leasehold_import_faults_total')?.get();
    expect(faults?.values.map(({ labels, value }) => `${labels['reason']} ${value}`).toSorted()).toEqual(['INTERNAL 0', 'LEDGER_UNAVAILABLE 0', 'STORE_UNAVAILABLE 1', 'TIMEOUT 0']);
    expect(await runsBy()).toEqual({ failed: 1 });
  });

  test('the store went away', async () => {
    const { order } = await bed.submit('monday', good);
    await rm(bed.store.directory, { recursive: true });
    expect(await outcome(importHandler(bed.parts).run(testJob(order).job))).toMatchObject({ reason: 'STORE_UNAVAILABLE', faultClass: 'technical' });
    await stillAccepted();
  });

  test('the store stalls', async () => {
    const { order } = await bed.submit('monday', good);
    const silent: EmbeddedStore = Object.assign(Object.create(bed.store), {
      get: (_key: string, _version: string, o: { signal: AbortSignal }) => new Promise((_, reject) => { o.signal.addEventListener('abort', () => reject(o.signal.reason)); }),
    });
    expect(await outcome(importHandler({ ...bed.parts, store: silent, storeTimeoutMs: 1 }).run(testJob(order).job))).toMatchObject({ reason: 'TIMEOUT', faultClass: 'technical' });
    expect((await bed.registry.getSingleMetric('leasehold_import_stalled_reads_total')?.get())?.values[0]?.value).toBe(1);
    await stillAccepted();
  });

  test('nothing is left of the lease to apply in', async () => {
    const { order } = await bed.submit('monday', good);
    const fault = await outcome(importHandler(bed.parts).run(testJob(order, { trustLeftMs: () => 0 }).job));
    expect(fault).toBeInstanceOf(JobFault);
    expect(fault).toMatchObject({ reason: 'LEDGER_UNAVAILABLE', faultClass: 'technical' });
    await stillAccepted();
  });
});
