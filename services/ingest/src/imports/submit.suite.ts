import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ImportState, type SubmitImportRequest } from '@leasehold/ingest-v1';
import { ImportPayload } from '@leasehold/jobs-imports-v1';
import { StoreFault, type ObjectStore } from '@leasehold/object-store';
import { JobState } from '@leasehold/queue-v1';
import { status } from '@leasehold/rpc';
import { createLogger } from '@leasehold/service';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importJobOf, one, present, sha256, shipment, submissionOf, World, type Running } from '../testbed/ingest.fixture.js';

describe('SubmitImport', () => {
  let world: World;
  let ingest: Running;
  let other: Running;
  const lines: string[] = [];
  beforeAll(async () => {
    world = await World.make();
    const logger = createLogger({ service: 'ingest', level: 'debug', destination: { write: (line) => { lines.push(line); } } });
    [ingest, other] = [await world.ingest({ logger, env: { LEASEHOLD_SHIPMENT_MAX_BYTES: '3000000' } }), await world.ingest({ logger })];
  });
  afterAll(() => world.end());

  const keysOf = (name: string): Promise<string[]> => world.keys(`shipments/team-a/${name.split('/')[3]}`);

  test('answers ACCEPTED at once, while the coordinator hears of nothing, and keeps the bytes and the exact job', async () => {
    const before = world.coordinator.calls.length;
    const accepted = await ingest.submit('delivery-2026.03_A', shipment, { charset: 'windows-1251' });
    expect(world.coordinator.calls.length).toBe(before);
    const bytes = Buffer.from(shipment);
    expect(accepted).toMatchObject({
      name: 'namespaces/team-a/imports/delivery-2026.03_A', state: ImportState.ACCEPTED, generation: 1, result: undefined, rejection: undefined, endTime: undefined, idempotencyExpireTime: undefined,
      source: { sizeBytes: BigInt(bytes.length), sha256: sha256(bytes), charset: 'windows-1251' },
    });
    const source = present(accepted.source);
    const owed = present(await world.owed(accepted.name));
    expect(ImportPayload.decode(owed['job_payload'] instanceof Buffer ? owed['job_payload'] : Buffer.alloc(0))).toEqual({
      importId: 'delivery-2026.03_A', generation: 1, charset: 'windows-1251',
      source: { key: 'shipments/team-a/delivery-2026.03_A', versionId: source.versionId, sizeBytes: source.sizeBytes, sha256: source.sha256 },
    });
    expect((await world.store.head('shipments/team-a/delivery-2026.03_A', source.versionId)).sizeBytes).toBe(bytes.length);
    expect(ingest.wakes).toContain('import-relay');
    await ingest.run('import-relay');
    expect(world.coordinator.specs.get(importJobOf(accepted.name))).toMatchObject({ payload: owed['job_payload'], contentDigest: owed['job_digest'], contractVersion: 1 });
  });

  describe('the same id and content again (I1, I3)', () => {
    test('50 at once at two instances end as one import, one job and one kept file', async () => {
      const id = randomUUID();
      const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? ingest : other).submit(id)));
      expect(new Set(answers.map(({ name, etag, source }) => `${name} ${etag} ${source?.versionId}`)).size).toBe(1);
      expect(await keysOf(present(answers[0]).name)).toHaveLength(1);
      await Promise.all([ingest.run('import-relay'), other.run('import-relay')]);
      expect(world.coordinator.specs.has(importJobOf(present(answers[0]).name))).toBe(true);
      expect((await world.owed(present(answers[0]).name))?.['generation']).toBe(1);
    });

    test('after it was applied answers the APPLIED import, and nothing is applied again', async () => {
      const { name, job } = await ingest.submitted();
      const fence = world.coordinator.grant(job);
      await world.apply(name, fence, [['A', 5]]);
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      const jobs = world.coordinator.jobs.size;
      const again = await other.submit(name.split('/')[3]);
      expect(again).toMatchObject({ state: ImportState.APPLIED, result: { rows: 1n, unitsIn: 5n } });
      expect(await ingest.run('import-relay')).toBe(0);
      expect(world.coordinator.jobs.size).toBe(jobs);
      expect(await world.moved(name)).toBe(5n);
    });

    test('after the queue has pruned its record: the journal still knows, and no job is made', async () => {
      const { name, job } = await ingest.submitted();
      await world.apply(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      world.coordinator.forget(job);
      expect(await ingest.submit(name.split('/')[3])).toMatchObject({ state: ImportState.APPLIED, generation: 1 });
      await ingest.run('import-relay');
      expect(world.coordinator.jobs.has(job)).toBe(false);
    });

    test('after a lost reply answers as the first call did, at another instance', async () => {
      const id = randomUUID();
      const first = await ingest.submit(id);
      expect(await other.submit(id)).toEqual(first);
    });

    test('while it is REJECTED answers the rejection: only other content, or RetryImport, opens it', async () => {
      const { name, job } = await ingest.submitted();
      await world.reject(name, world.coordinator.grant(job));
      expect(await ingest.submit(name.split('/')[3])).toMatchObject({ state: ImportState.REJECTED, generation: 1 });
    });
  });

  describe('other content under the same id (I1)', () => {
    test.each(['ACCEPTED', 'APPLIED', 'CANCELLED'] as const)('is a conflict while the import is %s, with the short forms of both digests, and keeps no bytes', async (state) => {
      const { name, job } = await ingest.submitted();
      if (state === 'APPLIED') await world.apply(name, world.coordinator.grant(job));
      if (state === 'CANCELLED') await ingest.imports.cancelImport({ name });
      const fault: unknown = await other.submit(name.split('/')[3], 'sku,quantity\nB,1\n').catch((error: unknown) => error);
      expect(fault).toMatchObject({
        code: status.ALREADY_EXISTS, reason: 'IMPORT_EXISTS', domain: 'ingest.leasehold',
        metadata: { name, digest: expect.stringMatching(/^[0-9a-f]{12}$/), existing_digest: expect.stringMatching(/^[0-9a-f]{12}$/) }, message: expect.stringContaining(state),
      });
      expect(await keysOf(name)).toHaveLength(1);
      expect(await ingest.import(name)).toMatchObject({ generation: 1 });
    });

    test('the same bytes under another charset are other content', async () => {
      const { name } = await ingest.submit();
      await expect(ingest.submit(name.split('/')[3], shipment, { charset: 'utf-8' })).rejects.toMatchObject({ reason: 'IMPORT_EXISTS' });
    });

    test('after REJECTED is taken as the corrected file, under a new generation and a new job', async () => {
      const { name, job } = await ingest.submitted(undefined, 'sku,quantity\nA,x\n');
      await world.reject(name, world.coordinator.grant(job));
      world.coordinator.finish(job, { state: JobState.FAILED, reason: 'QUANTITY' });
      await ingest.run('import-outcomes');
      const corrected = await other.submit(name.split('/')[3]);
      expect(corrected).toMatchObject({ state: ImportState.ACCEPTED, generation: 2, rejection: undefined, source: { sha256: sha256(Buffer.from(shipment)) } });
      await ingest.run('import-relay');
      const second = importJobOf(name, 2);
      await world.apply(name, world.coordinator.grant(second), [['A', 5]], 2);
      world.coordinator.finish(second, { state: JobState.SUCCEEDED });
      await ingest.run('import-outcomes');
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.APPLIED, generation: 2 });
      expect(await world.owed(name)).toBeUndefined();
    });

    test('two corrected files at once: one is taken, the other is a conflict', async () => {
      const { name, job } = await ingest.submitted();
      await world.reject(name, world.coordinator.grant(job));
      const both = await Promise.allSettled([ingest.submit(name.split('/')[3], 'sku,quantity\nB,1\n'), other.submit(name.split('/')[3], 'sku,quantity\nC,1\n')]);
      expect(both.map(({ status: how }) => how).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await ingest.import(name)).toMatchObject({ state: ImportState.ACCEPTED, generation: 2 });
    });
  });

  describe('an object that is stored already', () => {
    test('is copied: the import reads a version of its own, and the original may go', async () => {
      const stored = await world.store.put('uploads/team-a/list', one(Buffer.from(shipment)), { contentType: 'text/csv' });
      const accepted = await ingest.submit(randomUUID(), [], { object: { key: stored.key, versionId: stored.versionId } });
      await world.store.deleteVersion(stored.key, stored.versionId);
      expect(await keysOf(accepted.name)).toHaveLength(1);
      // The bytes are the content, wherever they came from.
      expect((await ingest.submit(accepted.name.split('/')[3])).etag).toBe(accepted.etag);
    });

    test('that is not there, or belongs to another namespace, is refused', async () => {
      const submit = (key: string, versionId = 'none') => ingest.submit(randomUUID(), [], { object: { key, versionId } });
      await expect(submit('uploads/team-a/nothing')).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'OBJECT_NOT_FOUND' });
      await expect(submit('uploads/team-b/list')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, fieldViolations: [{ field: 'spec.object.key' }] });
      await expect(submit('uploads/team-abc/list')).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
      await expect(submit('uploads/team-a/list', '')).rejects.toMatchObject({ fieldViolations: [{ field: 'spec.object.version_id' }] });
      await expect(ingest.submit(randomUUID(), shipment, { object: { key: 'uploads/team-a/list', versionId: 'v' } })).rejects.toMatchObject({ fieldViolations: [{ field: 'chunk' }] });
    });
  });

  test('what is wrong with the call is named, all of it at once, and nothing is kept', async () => {
    await expect(ingest.submit('-bad', shipment, { parent: 'namespaces/TEAM', charset: 'latin1', sha256: Buffer.alloc(5) })).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT, fieldViolations: ['spec.parent', 'spec.import_id', 'spec.charset', 'spec.sha256'].map((field) => expect.objectContaining({ field })),
    });
    await expect(ingest.submit('')).rejects.toMatchObject({ fieldViolations: [{ field: 'spec.import_id' }] });
    async function* twice(): AsyncGenerator<SubmitImportRequest> {
      yield* submissionOf({ importId: 'twice' }, []);
      yield* submissionOf({ importId: 'twice' }, []);
    }
    await expect(ingest.imports.submitImport(twice())).rejects.toMatchObject({ fieldViolations: [{ field: 'spec' }] });
    await expect(ingest.submit('twice', [Buffer.alloc(1024 * 1024 + 1, 'a')])).rejects.toMatchObject({ fieldViolations: [{ field: 'chunk' }] });
    expect(await world.keys('shipments/team-a/twice')).toEqual([]);
  });

  test('bytes that are not those that were announced are refused, and nothing is kept', async () => {
    const id = randomUUID();
    await expect(ingest.submit(id, shipment, { sha256: sha256(Buffer.from('another')) })).rejects.toMatchObject({ code: status.INVALID_ARGUMENT, reason: 'CHECKSUM_MISMATCH' });
    expect(await world.keys(`shipments/team-a/${id}`)).toEqual([]);
    await expect(ingest.imports.getImport({ name: `namespaces/team-a/imports/${id}` })).rejects.toMatchObject({ code: status.NOT_FOUND, reason: 'IMPORT_NOT_FOUND' });
    expect(await ingest.submit(id, shipment, { sha256: sha256(Buffer.from(shipment)) })).toMatchObject({ state: ImportState.ACCEPTED });
  });

  test('a huge file is refused as soon as it passes the limit, long before its end, and nothing is kept', async () => {
    const id = randomUUID();
    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (;;) {
        sent += 1;
        yield Buffer.alloc(256 * 1024, 'a');
      }
    }
    const fault: unknown = await ingest.imports.submitImport(submissionOf({ importId: id }, endless())).catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: status.INVALID_ARGUMENT, reason: 'SHIPMENT_TOO_LARGE' });
    // Flow control lets a few windows more under way, never the file.
    expect(sent).toBeLessThan(200);
    expect(await world.keys(`shipments/team-a/${id}`)).toEqual([]);
  });

  test('a stream that its caller breaks off makes no import and keeps no bytes', async () => {
    const id = randomUUID();
    const gone = new AbortController();
    async function* half(): AsyncGenerator<Buffer> {
      yield Buffer.from('sku,quantity\nA,1\n');
      gone.abort(new Error('a change of mind'));
      yield Buffer.from('B,2\n');
    }
    await expect(ingest.imports.submitImport(submissionOf({ importId: id }, half()), { signal: gone.signal })).rejects.toThrow();
    await expect.poll(() => world.keys(`shipments/team-a/${id}`)).toEqual([]);
    await expect(ingest.import(`namespaces/team-a/imports/${id}`)).rejects.toMatchObject({ reason: 'IMPORT_NOT_FOUND' });
    expect(await ingest.submit(id)).toMatchObject({ generation: 1, source: { sizeBytes: BigInt(shipment.length) } });
  });

  test('a store that fails in the middle leaves nothing half done: no import, no job; the same call succeeds later', async () => {
    const id = randomUUID();
    const failing: ObjectStore = Object.create(world.store, {
      put: { value: async (_key: string, body: AsyncIterable<Uint8Array>) => {
        for await (const _ of body) break;
        throw new StoreFault('unavailable', 'gone in the middle');
      } },
    });
    const away = await world.ingest({ store: failing });
    await expect(away.submit(id)).rejects.toMatchObject({ code: status.UNAVAILABLE, reason: 'STORE_UNAVAILABLE', retryDelayMs: 1_000 });
    const name = `namespaces/team-a/imports/${id}`;
    await expect(ingest.import(name)).rejects.toMatchObject({ reason: 'IMPORT_NOT_FOUND' });
    expect(await world.owed(name)).toBeUndefined();
    expect(await ingest.submit(id)).toMatchObject({ state: ImportState.ACCEPTED, generation: 1 });
  });

  test('a namespace may have so many in the queue and no more; repeats are answered, other namespaces do not notice, and a decided one makes room', async () => {
    const narrow = await world.ingest({ env: { LEASEHOLD_MAX_QUEUED_IMPORTS_PER_NAMESPACE: '2' } });
    const parent = 'namespaces/team-full';
    const first = await narrow.submit('one', shipment, { parent });
    await narrow.submit('two', shipment, { parent });
    await expect(narrow.submit('three', shipment, { parent })).rejects.toMatchObject({ code: status.RESOURCE_EXHAUSTED, reason: 'NAMESPACE_FULL', retryDelayMs: 1_000 });
    expect(await world.keys('shipments/team-full/three')).toEqual([]);
    expect(await narrow.metric('leasehold_imports_namespace_full_total')).toBe(1);
    expect((await narrow.submit('one', shipment, { parent })).etag).toBe(first.etag);
    await narrow.submit('three', shipment, { parent: 'namespaces/team-free' });
    await narrow.imports.cancelImport({ name: first.name });
    await expect.poll(() => narrow.submit('three', shipment, { parent }).then(({ state }) => state, (fault: { reason: string }) => fault.reason), { timeout: 10_000 }).toBe(ImportState.ACCEPTED);
  });

  describe('validate_only (I12)', () => {
    const validate = async (body: string, spec: { importId?: string; sha256?: Buffer; charset?: string } = {}) =>
      present((await ingest.imports.submitImport(submissionOf({ parent: 'namespaces/team-look', validateOnly: true, ...spec }, Readable.from([Buffer.from(body)])))).report);

    test('reports what an import would do now, and keeps and applies nothing', async () => {
      const keys = await world.keys();
      expect(await validate('sku;quantity;note\r\nA;2;x\r\nB;0;\r\nA;3;\r\nC;1;\r\n')).toMatchObject({
        acceptable: true, separator: ';', charset: 'utf-8', ignoredColumns: ['note'], rowErrors: [], rowErrorCount: 0n,
        result: { rows: 4n, zeroRows: 1n, skus: 3n, duplicateRows: 1n, unitsIn: 6n, unitsOut: 0n, catalogueGeneration: 0n, applyTime: undefined },
      });
      expect(await world.keys()).toEqual(keys);
      expect((await ingest.imports.listImports({ parent: 'namespaces/team-look', pageSize: 0, pageToken: '', states: [] })).imports).toEqual([]);
      expect((await ingest.stock.listStock({ parent: 'namespaces/team-look', pageSize: 0, pageToken: '', skuPrefix: '', warehouse: '' })).items).toEqual([]);
    });

    test('lists the faults of the file by line, column and code', async () => {
      const report = await validate('sku,quantity\nA,one\n,2\nB,3\n');
      expect(report).toMatchObject({ acceptable: false, result: undefined, rowErrorCount: 2n });
      expect(report.rowErrors.map(({ line, column }) => `${line} ${column}`)).toEqual(['2 quantity', '3 sku']);
      expect(report.rowErrors.every(({ message }) => message.length > 0)).toBe(true);
    });

    test('tells what stock could not take, by the sum of the file', async () => {
      const report = await validate('sku,quantity\nA,2\nB,-1\nA,-5\n');
      expect(report).toMatchObject({ acceptable: false, result: undefined, rowErrorCount: 2n });
      expect(report.rowErrors.map(({ line, message }) => `${line} ${message.split(':')[0]}`)).toEqual(['2 the file takes 3 of "A" in all, and 0 are in stock', '3 the file takes 1 of "B" in all, and 0 are in stock']);
    });

    test('a file with more SKUs than are looked at is refused, and so are bytes that were not announced', async () => {
      const small = await world.ingest({ env: { LEASEHOLD_VALIDATE_MAX_SKUS: '10' } });
      const many = Buffer.from(`sku,quantity\n${Array.from({ length: 5_000 }, (_, i) => `S${i},1`).join('\n')}\n`);
      await expect(small.imports.submitImport(submissionOf({ validateOnly: true }, [many]))).rejects.toMatchObject({ reason: 'SHIPMENT_TOO_LARGE' });
      await expect(validate(shipment, { sha256: Buffer.alloc(32) })).rejects.toMatchObject({ reason: 'CHECKSUM_MISMATCH' });
    });
  });

  test('no line of the log holds anything of a file (I9)', async () => {
    const secret = 'SECRET-SKU-4711';
    const { name, job } = await ingest.submitted(undefined, `sku,quantity\n${secret},x\n`);
    await world.reject(name, world.coordinator.grant(job), { faults: [{ line: 2, column: 'quantity', code: 'QUANTITY', message: `row of ${secret}` }] });
    world.coordinator.finish(job, { state: JobState.FAILED, reason: 'QUANTITY' });
    await ingest.run('import-outcomes');
    await ingest.imports.listImportRowErrors({ parent: name, pageSize: 0, pageToken: '' });
    await ingest.submit(name.split('/')[3], `sku,quantity\n${secret},7\n`);
    await ingest.imports.submitImport(submissionOf({ validateOnly: true }, [Buffer.from(`sku,quantity\n${secret},-7\n`)]));
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.some((line) => line.includes(`"import":"${name}"`))).toBe(true);
    expect(lines.some((line) => line.includes(`"job":"${job}"`))).toBe(true);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });
});
