import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpMischief, startFaultyHttpProxy } from './faulty-http.js';

/** A proxy before a server that answers `ten bytes!` and keeps the bodies that it got to the end. */
async function faulty(mischief: HttpMischief | undefined): Promise<{ url: string; bodies: string[]; broken: () => number }> {
  const bodies: string[] = [];
  let broken = 0;
  const server = createServer((request, response) => {
    text(request).then((body) => {
      bodies.push(body);
      response.end('ten bytes!');
    }, () => {
      broken += 1;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const proxy = await startFaultyHttpProxy(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, () => mischief);
  onTestFinished(async () => {
    await proxy.stop();
    server.close();
    server.closeAllConnections();
  });
  return { url: proxy.url, bodies, broken: () => broken };
}

const put = (url: string, signal?: AbortSignal): Promise<Response> => fetch(url, { method: 'PUT', body: 'the body', ...(signal === undefined ? {} : { signal }) });

test('without mischief everything passes', async () => {
  const { url, bodies } = await faulty(undefined);
  expect(await (await put(url)).text()).toBe('ten bytes!');
  expect(bodies).toEqual(['the body']);
});

test('an answer of the proxy\'s own leaves the server alone', async () => {
  const { url, bodies } = await faulty({ kind: 'answer', status: 503, body: 'busy' });
  const response = await put(url);
  expect([response.status, await response.text(), bodies]).toEqual([503, 'busy', []]);
});

test('a request that is cut reaches the server in part, and its sender knows', async () => {
  const { url, bodies, broken } = await faulty({ kind: 'cut_request', bytes: 4 });
  await expect(put(url)).rejects.toThrow('fetch failed');
  await expect.poll(broken).toBe(1);
  expect(bodies).toEqual([]);
});

test('a dropped answer: the server did it, the sender does not know', async () => {
  const { url, bodies } = await faulty({ kind: 'drop_answer' });
  await expect(put(url)).rejects.toThrow('fetch failed');
  expect(bodies).toEqual(['the body']);
});

test('an answer that is cut is an error, one that is shortened looks whole', async () => {
  const cut = await put((await faulty({ kind: 'cut_answer', bytes: 4 })).url);
  await expect(cut.text()).rejects.toThrow('terminated');
  const short = await put((await faulty({ kind: 'shorten_answer', bytes: 4 })).url);
  expect(await short.text()).toBe('ten ');
});

test('a bit that changes on the way up reaches the server', async () => {
  const { url, bodies } = await faulty({ kind: 'flip_request_bit', bytes: 4 });
  await (await put(url)).text();
  expect(bodies).toEqual(['the cody']);
});

test('a stall lasts until somebody gives up', async () => {
  const caller = new AbortController();
  const { url, bodies } = await faulty({ kind: 'stall_answer', bytes: 4 });
  const response = await put(url, caller.signal);
  const reader = response.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('ten ');
  const rest = reader?.read();
  caller.abort(new Error('enough'));
  await expect(rest).rejects.toThrow('enough');
  expect(bodies).toHaveLength(1);
});

test('a bit and the date change as told, nothing else does', async () => {
  expect(await (await put((await faulty({ kind: 'flip_bit', bytes: 4 })).url)).text()).toBe('ten cytes!');
  const shifted = await put((await faulty({ kind: 'shift_date', ms: 3_600_000 })).url);
  expect(Date.parse(shifted.headers.get('date') ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
});
