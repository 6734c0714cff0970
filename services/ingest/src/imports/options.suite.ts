import { ImportLayout, ImportMode, ImportRejectionReason, ImportState, type ImportReport, type ImportSpec } from '@leasehold/ingest-v1';
import { ImportPayload } from '@leasehold/jobs-imports-v1';
import { ImportPayload as ImportPayloadV2, ImportMode as ModeV2, ImportLayout as LayoutV2 } from '@leasehold/jobs-imports-v2';
import { EnqueueVerdict, JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { importJobOf, present, shipment, submissionOf, World, type Running } from '../testbed/ingest.fixture.js';

const partial: Partial<ImportSpec> = { mode: ImportMode.PARTIAL };
const warehouses: Partial<ImportSpec> = { layout: ImportLayout.WAREHOUSES };
const both = { ...partial, ...warehouses };
const notOpen = { code: status.FAILED_PRECONDITION, reason: 'OPTIONS_NOT_OPEN' };
const file = 'warehouse,sku,operation,quantity\nnorth,A,receive,5\n,A,,2\nnorth,A,set,3\nnorth,A,,1\nsouth,B,adjust,-1\nnorth,C,add,1\n,B,adjust,0\n';

describe('two versions of the import contract', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterEach(async () => {
    world.coordinator.verdictFor = () => undefined;
    await world.db.pool.query('update import_jobs set relay_due = null');
  });
  afterAll(() => world.end());

  const shares = async (...of: [version: number, percent: number][]): Promise<void> => {
    world.coordinator.shares = { import: of.map(([contractVersion, percent]) => ({ contractVersion, percent })), image: [{ contractVersion: 1, percent: 100 }] };
    for (const each of ingest.ingest.shares) await each.askNow(new AbortController().signal);
  };
  const validated = async (body: string, spec: Partial<ImportSpec>): Promise<ImportReport> =>
    present((await ingest.imports.submitImport(submissionOf({ validateOnly: true, ...spec }, [Buffer.from(body)]))).report);

  test('V2: a job that both can say goes by the share, and back with it, under one digest', async () => {
    await shares([2, 100], [1, 0]);
    const second = await ingest.submit('second');
    await shares([2, 0], [1, 100]);
    const first = await ingest.submit('first');
    await ingest.run('import-relay');
    const [one, two] = [first, second].map(({ name }) => present(world.coordinator.specs.get(importJobOf(name))));
    expect([one?.contractVersion, two?.contractVersion]).toEqual([1, 2]);
    expect(ImportPayload.decode(present(one).payload)).toMatchObject({ importId: 'first', generation: 1 });
    expect(ImportPayloadV2.decode(present(two).payload)).toMatchObject({ importId: 'second', mode: ModeV2.ATOMIC, layout: LayoutV2.SINGLE });
  });

  test('a submission is the same one whatever version carries it, and another with another mode or layout', async () => {
    await shares([2, 100], [1, 0]);
    const { name, etag } = await ingest.submit('same');
    await shares([1, 100]);
    expect(await ingest.submit('same')).toMatchObject({ name, etag, generation: 1 });
    expect(await ingest.submit('same', shipment, { mode: ImportMode.ATOMIC, layout: ImportLayout.SINGLE })).toMatchObject({ etag });
    await shares([2, 0], [1, 100]);
    for (const spec of [partial, warehouses, both]) await expect(ingest.submit('same', shipment, spec)).rejects.toMatchObject({ code: status.ALREADY_EXISTS, reason: 'IMPORT_EXISTS' });
  });

  test('V2: what version 1 cannot say is written in version 2, however small its share; while it is not OPEN nothing of it is taken', async () => {
    await shares([1, 100]);
    const keys = await world.keys();
    for (const spec of [partial, warehouses, both]) {
      await expect(ingest.submit('early', file, spec)).rejects.toMatchObject(notOpen);
      await expect(validated(file, spec)).rejects.toMatchObject(notOpen);
    }
    expect(await world.keys()).toEqual(keys);
    await expect(ingest.import('namespaces/team-a/imports/early')).rejects.toMatchObject({ reason: 'IMPORT_NOT_FOUND' });

    await shares([2, 0], [1, 100]);
    const { name } = await ingest.submit('early', file, both);
    await ingest.run('import-relay');
    const sent = present(world.coordinator.specs.get(importJobOf(name)));
    expect([sent.contractVersion, ImportPayloadV2.decode(sent.payload)]).toMatchObject([2, { mode: ModeV2.PARTIAL, layout: LayoutV2.WAREHOUSES }]);
    // A repeat is answered whatever is OPEN by now; a retry needs the version.
    await shares([1, 100]);
    expect(await ingest.submit('early', file, both)).toMatchObject({ name, state: ImportState.ACCEPTED });
    const fence = world.coordinator.grant(importJobOf(name));
    await world.reject(name, fence);
    world.coordinator.finish(importJobOf(name), { state: JobState.FAILED, reason: 'QUANTITY' });
    await ingest.run('import-outcomes');
    const rejected = await ingest.import(name);
    await expect(ingest.imports.retryImport({ name, etag: rejected.etag })).rejects.toMatchObject(notOpen);
    expect(await ingest.import(name)).toMatchObject({ state: ImportState.REJECTED, generation: 1 });
    await shares([2, 0], [1, 100]);
    expect((await ingest.imports.retryImport({ name, etag: rejected.etag })).import).toMatchObject({ generation: 2, mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES });
  });

  test('V2: a job of version 2 that is closed before it was sent goes out in version 1 where that can say it, as the same job, and waits where it cannot', async () => {
    await shares([2, 100], [1, 0]);
    const [usual, special] = [await ingest.submit('usual'), await ingest.submit('special', file, both)];
    const digest = (await world.owed(usual.name))?.['job_digest'];
    world.coordinator.verdictFor = ({ contractVersion }) => (contractVersion === 2 ? EnqueueVerdict.CONTRACT_CLOSED : undefined);
    world.coordinator.shares = { import: [{ contractVersion: 1, percent: 100 }] };
    await ingest.run('import-relay');
    await ingest.run('import-relay');
    expect(world.coordinator.specs.get(importJobOf(usual.name))).toMatchObject({ contractVersion: 1, contentDigest: digest });
    expect(world.coordinator.specs.get(importJobOf(special.name))).toBeUndefined();
    expect(await world.owed(special.name)).toMatchObject({ job_contract_version: 2 });
    world.coordinator.verdictFor = () => undefined;
    await shares([2, 0], [1, 100]);
    await world.ageImport(special.name, 120_000);
    await ingest.run('import-relay');
    expect(world.coordinator.specs.get(importJobOf(special.name))).toMatchObject({ contractVersion: 2 });
  });

  test('a look at a file says what its import then comes to, and the import shows it, with the rows that were left out', async () => {
    await shares([2, 0], [1, 100]);
    const parent = 'namespaces/team-parts';
    for (const [at, body] of [file, 'warehouse,sku,operation,quantity\nnorth,A,set,1\n,A,,-9\nnorth,A,,1\nnorth,D,,4\nnorth,D,,-5\n'].entries()) {
      const report = await validated(body, { parent, ...both });
      const { name } = await ingest.submit(`parts-${at}`, body, { parent, ...both });
      expect(await ingest.import(name)).toMatchObject({ mode: ImportMode.PARTIAL, layout: ImportLayout.WAREHOUSES, rowErrorCount: 0n });
      await world.applyFile(name, BigInt(at + 1), body);
      const applied = await ingest.import(name);
      expect(applied).toMatchObject({ state: ImportState.APPLIED, rejection: undefined, rowErrorCount: report.rowErrorCount });
      expect({ ...applied.result, catalogueGeneration: 0n, applyTime: undefined }).toEqual(report.result);
      expect((await ingest.imports.listImportRowErrors({ parent: name, pageSize: 0, pageToken: '' })).rowErrors).toEqual(report.rowErrors);
    }
    const { rowErrors } = await ingest.imports.listImportRowErrors({ parent: `${parent}/imports/parts-0`, pageSize: 0, pageToken: '' });
    expect(rowErrors.map(({ line, code }) => [line, code])).toEqual([[6n, ImportRejectionReason.NEGATIVE_STOCK], [7n, ImportRejectionReason.OPERATION]]);

    const stock = async (warehouse: string) => (await ingest.stock.listStock({ parent, pageSize: 0, pageToken: '', skuPrefix: '', warehouse })).items.map(({ sku, quantity, warehouse: where }) => [where, sku, quantity]);
    expect(await stock('')).toEqual([['', 'A', 2n]]);
    expect(await stock('north')).toEqual([['north', 'A', 2n]]);
    expect(await ingest.stock.getStock({ parent, skus: ['A', 'B'], warehouse: 'south' })).toMatchObject({ items: [], missing: ['A', 'B'], catalogue: { generation: 2n } });
    await expect(ingest.stock.listStock({ parent, pageSize: 0, pageToken: '', skuPrefix: '', warehouse: 'no such place' })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
    const http = `${ingest.http}/v1/${parent}`;
    expect(await (await fetch(`${http}/stock?warehouse=north`)).json()).toMatchObject({ items: [{ sku: 'A', quantity: '2', warehouse: 'north' }] });
    const overHttp = await fetch(`${http}/imports?import_id=by-http&mode=partial&layout=IMPORT_LAYOUT_WAREHOUSES`, { method: 'POST', body: file });
    expect([overHttp.status, await overHttp.json()]).toMatchObject([202, { mode: 'IMPORT_MODE_PARTIAL', layout: 'IMPORT_LAYOUT_WAREHOUSES' }]);
    expect((await fetch(`${http}/imports?import_id=by-http-2&mode=most`, { method: 'POST', body: file })).status).toBe(400);
  });

  test('a file of which nothing would be left is not acceptable', async () => {
    await shares([2, 0], [1, 100]);
    expect(await validated('sku,quantity\nZ,-1\n,1\n', partial)).toMatchObject({ acceptable: false, result: undefined, rowErrorCount: 2n });
    expect(await validated('sku,quantity\nZ,1\n"', partial)).toMatchObject({ acceptable: false, result: undefined });
    expect(await validated('sku,quantity\nZ,1\n,1\n', partial)).toMatchObject({ acceptable: true, result: { rows: 2n, rejectedRows: 1n, skus: 1n, warehouses: 1n, unitsIn: 1n } });
  });
});
