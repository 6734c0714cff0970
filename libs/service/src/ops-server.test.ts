import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { captureLog } from './captured-log.fixture.js';
import { OpsServer, type OpsServerOptions } from './ops-server.js';
import { createRegistry } from './registry.js';

const started: OpsServer[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.stop(AbortSignal.timeout(1000));
});

function setUp(o: Partial<OpsServerOptions> = {}) {
  const log = captureLog();
  const registry = createRegistry('tested');
  const server = new OpsServer({ host: '127.0.0.1', port: 0, registry, logger: log.logger, readiness: async () => [{ name: 'database', ok: true }], ...o });
  started.push(server);
  return { log, registry, server, get: (path: string, init?: RequestInit) => fetch(`http://${server.address}${path}`, init) };
}

describe('probes', () => {
  test('a live process answers, and one whose checks all hold is ready', async () => {
    const { server, get } = setUp();
    await server.start();
    expect((await get('/livez')).status).toBe(200);
    const ready = await get('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, checks: [{ name: 'database', ok: true }] });
  });

  test('one check that does not hold makes the process not ready and is named, while it stays live', async () => {
    const checks = [{ name: 'database', ok: true }, { name: 'migrations', ok: false, detail: '0007 is missing' }];
    const { server, get } = setUp({ readiness: async () => checks });
    await server.start();
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ready: false, checks });
    expect((await get('/livez')).status).toBe(200);
  });

  test('a check that throws counts as not ready; why is in the log, not in the answer', async () => {
    const { server, get, log } = setUp({ readiness: () => Promise.reject(new Error('no route to 10.0.0.7')) });
    await server.start();
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.text()).not.toContain('10.0.0.7');
    expect(log.events('readiness_check_failed')).toMatchObject([{ err: { message: 'no route to 10.0.0.7' } }]);
  });

  test('a check that hangs counts as not ready, and probes do not pile up behind it', async () => {
    let asked = 0;
    let answer = (): void => undefined;
    const { server, get } = setUp({
      readinessTimeoutMs: 20,
      readiness: () => new Promise((resolve) => { asked += 1; answer = () => resolve([{ name: 'database', ok: true }]); }),
    });
    await server.start();
    const probes = await Promise.all([get('/readyz'), get('/readyz')]);
    expect(probes.map((probe) => probe.status)).toEqual([503, 503]);
    expect((await get('/readyz')).status).toBe(503);
    expect(asked).toBe(1);
    answer();
    void get('/readyz').catch(() => undefined);
    await expect.poll(() => asked).toBe(2);
  });
});

test('metrics are served as text with the content type of Prometheus', async () => {
  const { server, get } = setUp();
  await server.start();
  const metrics = await get('/metrics');
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await metrics.text()).toContain('leasehold_build_info{');
});

describe('routes of a service', () => {
  test('are served beside the probes when registered before the start, and refused after it', async () => {
    const { server, get } = setUp();
    server.register(async (routes) => { routes.get('/files/:name', async (request) => ({ asked: request.params })); });
    await server.start();
    expect(await (await get('/files/a')).json()).toEqual({ asked: { name: 'a' } });
    expect(() => server.register(async () => undefined)).toThrow('before the start only');
  });

  test('a body over the limit is refused, unless the route allows more', async () => {
    const { server, get } = setUp({ bodyLimitBytes: 10 });
    server.register(async (routes) => {
      routes.post('/small', async () => 'taken');
      routes.post('/large', { bodyLimit: 100 }, async () => 'taken');
    });
    await server.start();
    const post = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(50) };
    const refused = await get('/small', post);
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual({ error: 'fst_err_ctp_body_too_large' });
    expect((await get('/large', post)).status).toBe(200);
  });

  test('a request that does not arrive whole in time is cut', async () => {
    const { server } = setUp({ requestTimeoutMs: 50 });
    server.register(async (routes) => { routes.post('/upload', async () => 'taken'); });
    await server.start();
    const socket = connect(Number(server.address.split(':')[1]), '127.0.0.1');
    socket.write('POST /upload HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nhalf');
    expect(await text(socket)).toContain('HTTP/1.1 408');
  });

  test('a failure is logged with the pattern of its route; the caller learns only that it failed', async () => {
    const { server, get, log, registry } = setUp();
    server.register(async (routes) => { routes.get('/files/:name', async () => { throw new Error('disk on fire'); }); });
    await server.start();
    const failed = await get('/files/hunter2?sig=hunter2');
    expect(failed.status).toBe(500);
    expect(await failed.json()).toEqual({ error: 'internal' });
    expect(log.events('http_request_failed')).toMatchObject([{ method: 'GET', route: '/files/:name', err: { message: 'disk on fire' } }]);
    expect(log.text()).not.toContain('hunter2');
    await expect.poll(() => registry.metrics()).toContain('route="/files/:name",code="500"');
    expect(await registry.metrics()).not.toContain('hunter2');
  });

  test.each(['/nothing/hunter2?sig=hunter2', '/files/%ffhunter2'])('the URL %s is neither quoted in an answer nor logged nor counted by name', async (path) => {
    const { server, get, log, registry } = setUp();
    server.register(async (routes) => { routes.get('/files/:name', async () => 'found'); });
    await server.start();
    const answer = await get(path);
    expect([400, 404]).toContain(answer.status);
    expect(await answer.text()).not.toContain('hunter2');
    expect(log.text()).toBe('');
    expect(await registry.metrics()).not.toContain('hunter2');
  });
});

describe('start and stop', () => {
  test('a second start changes nothing, and the address has the port that the system chose', async () => {
    const { server } = setUp();
    expect(() => server.address).toThrow('not started');
    await Promise.all([server.start(), server.start()]);
    expect(server.address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
  });

  test('a port that is taken is an error of the start', async () => {
    const first = setUp();
    await first.server.start();
    const second = setUp({ port: Number(first.server.address.split(':')[1]) });
    await expect(second.server.start()).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('a stop is safe before the start and twice', async () => {
    const { server } = setUp();
    await server.stop(AbortSignal.timeout(1000));
    await server.stop(AbortSignal.timeout(1000));
  });

  test('a stop waits for a request under way', async () => {
    const { server, get } = setUp();
    const { arrived, release } = slowRoute(server);
    await server.start();
    const answer = get('/slow');
    await arrived;
    let stopped = false;
    const stopping = server.stop(new AbortController().signal).then(() => { stopped = true; });
    expect(['refused', 503]).toContain(await get('/livez').then((response) => response.status, () => 'refused'));
    expect(stopped).toBe(false);
    release();
    expect((await answer).status).toBe(200);
    await stopping;
  });

  test('at the deadline a request under way is cut off', async () => {
    const { server, get } = setUp();
    const { arrived, release } = slowRoute(server);
    await server.start();
    const answer = get('/slow').then(() => 'answered', () => 'cut');
    await arrived;
    const deadline = new AbortController();
    const stopping = server.stop(deadline.signal);
    deadline.abort();
    expect(await answer).toBe('cut');
    await stopping;
    release();
  });
});

function slowRoute(server: OpsServer): { arrived: Promise<void>; release: () => void } {
  let arrive = (): void => undefined;
  let release = (): void => undefined;
  const arrived = new Promise<void>((resolve) => { arrive = resolve; });
  const released = new Promise<void>((resolve) => { release = resolve; });
  server.register(async (routes) => { routes.get('/slow', async () => { arrive(); await released; return 'done'; }); });
  return { arrived, release };
}
