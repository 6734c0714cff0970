import { ImportState } from '@leasehold/ingest-v1';
import { JobState } from '@leasehold/queue-v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256, shipment, World, type Running } from '../testbed/ingest.fixture.js';

describe('imports and stock over HTTP', () => {
  let world: World;
  let ingest: Running;
  beforeAll(async () => {
    world = await World.make();
    ingest = await world.ingest({ env: { LEASEHOLD_SHIPMENT_MAX_BYTES: '200000' } });
  });
  afterAll(() => world.end());

  const parent = '/v1/namespaces/team-a';
  const post = (query: string, body: string | ReadableStream<Uint8Array> = shipment, type = 'text/csv'): Promise<Response> =>
    fetch(`${ingest.http}${parent}/imports${query}`, { method: 'POST', headers: { 'content-type': type }, body, duplex: 'half' });
  const read = async (path: string): Promise<[status: number, body: unknown]> => {
    const answer = await fetch(`${ingest.http}${path}`);
    return [answer.status, await answer.json()];
  };
  const send = (path: string, body?: object): Promise<Response> => fetch(`${ingest.http}${path}`, { method: 'POST', ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) });

  describe('POST of a file', () => {
    test.each(['text/csv', 'application/x-www-form-urlencoded', 'application/json'])('as %s answers 202 with a Location that GET serves, by the same code as over gRPC', async (type) => {
      const id = `http-${type.length}`;
      const answer = await post(`?import_id=${id}&charset=utf-8`, shipment, type);
      expect([answer.status, answer.headers.get('location')]).toEqual([202, `${parent}/imports/${id}`]);
      const body: unknown = await answer.json();
      expect(body).toMatchObject({ name: `namespaces/team-a/imports/${id}`, state: 'IMPORT_STATE_ACCEPTED', generation: 1, source: { sizeBytes: String(shipment.length), charset: 'utf-8' } });
      expect(await read(answer.headers.get('location') ?? '')).toEqual([200, body]);
      // The same file over gRPC is the same import.
      expect(await ingest.submit(id, shipment, { charset: 'utf-8' })).toMatchObject({ name: `namespaces/team-a/imports/${id}`, generation: 1 });
      expect((await post(`?import_id=${id}&charset=utf-8`)).status).toBe(202);
    });

    test('with validate_only answers 200 with the report, and keeps nothing', async () => {
      const good = await post('?validate_only=true');
      expect([good.status, await good.json()]).toMatchObject([200, { acceptable: true, separator: ',', charset: 'utf-8', result: { rows: '2', unitsIn: '5' } }]);
      const bad = await post('?validate_only=true', 'sku,quantity\nA,x\n');
      expect([bad.status, await bad.json()]).toMatchObject([200, { rowErrorCount: '1', rowErrors: [{ line: '2', column: 'quantity', code: 'IMPORT_REJECTION_REASON_QUANTITY' }] }]);
      expect(await world.keys('shipments/team-a/')).toHaveLength(3);
    });

    test('other content under the id is 409 with both digests, bad calls are 400, all in the words of the gRPC edge', async () => {
      await post('?import_id=taken');
      const cases: [Promise<Response>, number, object][] = [
        [post('?import_id=taken', 'sku,quantity\nB,1\n'), 409, { status: 'ALREADY_EXISTS', reason: 'IMPORT_EXISTS', metadata: { digest: expect.any(String), existing_digest: expect.any(String) } }],
        [post(''), 400, { status: 'INVALID_ARGUMENT', fieldViolations: [{ field: 'spec.import_id' }] }],
        [post('?import_id=x&charset=ebcdic'), 400, { fieldViolations: [{ field: 'spec.charset' }] }],
        [post('?import_id=x&validate_only=perhaps'), 400, { fieldViolations: [{ field: 'validate_only' }] }],
        [post('?import_id=x&import_id=y'), 400, { fieldViolations: [{ field: 'import_id' }] }],
        [post('?import_id=x&sha256=00'), 400, { fieldViolations: [{ field: 'sha256' }] }],
        [post(`?import_id=x&sha256=${'0'.repeat(64)}`), 400, { reason: 'CHECKSUM_MISMATCH' }],
        [fetch(`${ingest.http}${parent}/imports/nobody`), 404, { reason: 'IMPORT_NOT_FOUND' }],
        [fetch(`${ingest.http}/v1/namespaces/TEAM/imports/x`), 400, { reason: 'INVALID_REQUEST' }],
      ];
      for (const [call, code, error] of cases) {
        const answer = await call;
        expect(await answer.json()).toMatchObject({ error: { code, domain: 'ingest.leasehold', ...error } });
        expect(answer.status).toBe(code);
      }
      expect((await post(`?import_id=right&sha256=${sha256(Buffer.from(shipment)).toString('hex')}`)).status).toBe(202);
      expect(await world.keys('shipments/team-a/x')).toEqual([]);
    });

    test('of more bytes than are taken is cut off, and nothing is kept', async () => {
      const large = new ReadableStream<Uint8Array>({ pull(controller) { controller.enqueue(Buffer.alloc(64 * 1024, 'a')); } });
      const cut = await post('?import_id=large', large).then(async (answer) => [answer.status, await answer.json()], () => 'connection closed');
      if (typeof cut !== 'string') expect(cut).toMatchObject([400, { error: { reason: 'SHIPMENT_TOO_LARGE' } }]);
      expect(await world.keys('shipments/team-a/large')).toEqual([]);
    });

    test('that breaks off in the middle makes no import', async () => {
      const broken = new ReadableStream<Uint8Array>({
        start(controller) { controller.enqueue(Buffer.from('sku,quantity\nA,1\n')); },
        pull(controller) { controller.error(new Error('the caller went away')); },
      });
      await expect(post('?import_id=broken', broken)).rejects.toThrow();
      expect((await post('?import_id=broken')).status).toBe(202);
      expect(await ingest.import('namespaces/team-a/imports/broken')).toMatchObject({ source: { sizeBytes: BigInt(shipment.length) } });
    });

    test('without any bytes is an import of an empty file: a worker says so', async () => {
      expect((await fetch(`${ingest.http}${parent}/imports?import_id=empty`, { method: 'POST' })).status).toBe(202);
      expect(await ingest.import('namespaces/team-a/imports/empty')).toMatchObject({ state: ImportState.ACCEPTED, source: { sizeBytes: 0n } });
    });
  });

  test('an id of 100 characters is looked at, and cancelled, as any other', async () => {
    const id = 'x'.repeat(100);
    expect((await post(`?import_id=${id}`)).headers.get('location')).toBe(`${parent}/imports/${id}`);
    expect((await read(`${parent}/imports/${id}`))[0]).toBe(200);
    expect((await send(`${parent}/imports/${id}:cancel`)).status).toBe(200);
    expect((await post(`?import_id=${id}x`)).status).toBe(400);
  });

  describe('a refused file', () => {
    const faults = [{ line: 2, column: '=cmd()', code: 'QUANTITY', message: '=HYPERLINK("http://x") is no whole number' }, { line: 3, column: 'sku', code: 'SKU', message: 'a, "b"' }];
    let name: string;
    beforeAll(async () => {
      const submitted = await ingest.submitted('refused');
      ({ name } = submitted);
      await world.reject(name, world.coordinator.grant(submitted.job), { faults, faultCount: 2 });
      world.coordinator.finish(submitted.job, { state: JobState.FAILED, reason: 'QUANTITY' });
      await ingest.run('import-outcomes');
    });

    test('tells its row errors as JSON and as CSV, in which no cell is a formula', async () => {
      expect(await read(`/v1/${name}/rowErrors?page_size=1`)).toMatchObject([200, { rowErrors: [{ line: '2', code: 'IMPORT_REJECTION_REASON_QUANTITY' }], nextPageToken: expect.any(String) }]);
      const csv = await fetch(`${ingest.http}/v1/${name}/rowErrors.csv`);
      expect(Object.fromEntries(csv.headers)).toMatchObject({ 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="refused-row-errors.csv"', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' });
      const text = await csv.text();
      expect(text.split('\r\n').slice(0, 3)).toEqual(['"line","column","code","message"', `"2","'=cmd()","QUANTITY","'=HYPERLINK(""http://x"") is no whole number"`, '"3","sku","SKU","a, ""b"""']);
      expect((await fetch(`${ingest.http}${parent}/imports/nobody/rowErrors.csv`)).status).toBe(404);
    });

    test('is listed by state, retried by its etag and cancelled', async () => {
      const [, list] = await read(`${parent}/imports?states=rejected&page_size=10`);
      expect(list).toMatchObject({ imports: [{ name, rejection: { reason: 'IMPORT_REJECTION_REASON_QUANTITY', rowErrors: [{}, {}] } }] });
      expect((await read(`${parent}/imports?states=lost`))[0]).toBe(400);
      expect((await read(`${parent}/imports?page_size=many`))[0]).toBe(400);
      const { etag } = await ingest.import(name);
      expect((await send(`/v1/${name}:retry`, { etag: 'g1-r99' })).status).toBe(409);
      expect((await send(`/v1/${name}:retry`)).status).toBe(400);
      const retried = await send(`/v1/${name}:retry`, { etag });
      expect([retried.status, retried.headers.get('location'), await retried.json()]).toMatchObject([202, `/v1/${name}`, { state: 'IMPORT_STATE_ACCEPTED', generation: 2 }]);
      const cancelled = await send(`/v1/${name}:cancel`);
      expect([cancelled.status, await cancelled.json()]).toMatchObject([200, { state: 'IMPORT_STATE_CANCELLED' }]);
      expect((await send(`/v1/${name}:retry`, { etag })).status).toBe(202);
      expect((await send(`/v1/${name}:other`)).status).toBe(404);
    });
  });

  test('stock is looked up and listed, with the generation that it is of', async () => {
    const { name } = await ingest.submit('stock', undefined, { parent: 'namespaces/team-s' });
    await world.apply(name, 5_000n, [['A&B', 2], ['C', 3]]);
    expect(await read(`/v1/namespaces/team-s/stock:get?skus=C&skus=${encodeURIComponent('A&B')}&skus=none`)).toMatchObject([200, { items: [{ sku: 'C', quantity: '3' }, { sku: 'A&B', quantity: '2' }], missing: ['none'], catalogue: { generation: '1' } }]);
    const [, page] = await read('/v1/namespaces/team-s/stock?page_size=1');
    expect(page).toMatchObject({ items: [{ sku: 'A&B' }], nextPageToken: expect.any(String) });
    expect((await read('/v1/namespaces/team-s/stock:get'))[0]).toBe(400);
  });
});
