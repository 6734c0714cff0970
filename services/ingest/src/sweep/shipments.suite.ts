import { JobState } from '@leasehold/queue-v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { one, present, shipment, World, type Running } from '../testbed/ingest.fixture.js';
import { passBucket } from './bucket-pass.js';
import { sweptShipments } from './swept-shipments.js';

describe('the files of imports in the bucket', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest();
  });
  afterAll(() => world.end());

  const retentionMs = 90 * 24 * 60 * 60 * 1000;
  const pass = (windows: { orphanMs: number; retentionMs: number }, at = ingest): Promise<void> =>
    passBucket({ db: world.db, store: world.store, metrics: at.ingest.metrics, logger: at.ingest.imports.logger, objects: [sweptShipments(at.ingest.imports.ledger, windows)], everyMs: 1 }, AbortSignal.timeout(10_000));
  const keysOf = (name: string): Promise<string[]> => world.keys(`shipments/team-a/${name.split('/')[3]}`);
  const orphan = (name: string) => world.store.put(`shipments/team-a/${name.split('/')[3]}`, one(Buffer.from(shipment)), { contentType: 'text/csv' });
  const hour = 60 * 60 * 1000;

  test('what a submission that died has left goes, after the safety interval; the file of an ACCEPTED import never does', async () => {
    const { name } = await ingest.submit();
    await orphan(name);
    await orphan('namespaces/team-a/imports/never-accepted');
    await pass({ orphanMs: hour, retentionMs: 0 });
    expect([(await keysOf(name)).length, (await world.keys('shipments/team-a/never-accepted')).length]).toEqual([2, 1]);
    await pass({ orphanMs: -1_000, retentionMs: 0 });
    expect(await world.keys('shipments/team-a/never-accepted')).toEqual([]);
    const [kept] = await keysOf(name);
    expect(await keysOf(name)).toHaveLength(1);
    expect((await world.store.head(present(kept), present((await ingest.import(name)).source).versionId)).sizeBytes).toBe(shipment.length);
  });

  test.each(['APPLIED', 'REJECTED', 'CANCELLED'] as const)('the file of an import that is %s is kept for its retention, and for so long it can be read again; then it goes', async (state) => {
    const { name, job } = await ingest.submitted();
    if (state === 'APPLIED') await world.apply(name, world.coordinator.grant(job));
    if (state === 'REJECTED') await world.reject(name, world.coordinator.grant(job));
    if (state === 'CANCELLED') await ingest.imports.cancelImport({ name });
    await world.ageImport(name, retentionMs - hour);
    await pass({ orphanMs: hour, retentionMs });
    expect(await keysOf(name)).toHaveLength(1);
    await world.ageImport(name, 3 * hour);
    await pass({ orphanMs: hour, retentionMs });
    expect(await keysOf(name)).toEqual([]);
    // The journal still knows which bytes they were.
    expect((await ingest.import(name)).source?.sizeBytes).toBe(BigInt(shipment.length));
  });

  test('the file that a corrected one has superseded goes, the corrected one stays', async () => {
    const { name, job } = await ingest.submitted(undefined, 'sku,quantity\nA,x\n');
    await world.reject(name, world.coordinator.grant(job));
    world.coordinator.finish(job, { state: JobState.FAILED, reason: 'QUANTITY' });
    await ingest.run('import-outcomes');
    await ingest.submit(name.split('/')[3]);
    expect(await keysOf(name)).toHaveLength(2);
    await pass({ orphanMs: -1_000, retentionMs: 0 });
    const left = [];
    for await (const object of world.store.listVersions(`shipments/team-a/${name.split('/')[3]}`)) left.push(object.versionId);
    expect(left).toEqual([present((await ingest.import(name)).source).versionId]);
  });

  test('keys that are none of ours are counted and left alone; the duty itself passes once for all instances', async () => {
    await world.store.put('shipments/README', one(Buffer.from('by hand')), { contentType: 'text/plain' });
    const foreign = await ingest.metric('leasehold_files_foreign_objects_total');
    await pass({ orphanMs: -1_000, retentionMs: 0 });
    expect(await ingest.metric('leasehold_files_foreign_objects_total')).toBe(foreign + 1);
    expect(await world.keys('shipments/README')).toHaveLength(1);
    const other = await world.ingest();
    const before = await ingest.metric('leasehold_files_bucket_passes_total') + await other.metric('leasehold_files_bucket_passes_total');
    await Promise.all([ingest.run('bucket-pass'), other.run('bucket-pass')]);
    expect(await ingest.metric('leasehold_files_bucket_passes_total') + await other.metric('leasehold_files_bucket_passes_total')).toBe(before + 1);
    expect(await ingest.metric('leasehold_files_swept_objects_total', { kind: 'shipment', pass: 'bucket' })).toBeGreaterThan(0);
  });
});
