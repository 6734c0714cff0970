import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, request as sendRequest } from 'node:http';
import { Readable } from 'node:stream';
import { StackFault } from './stack-fault.js';

/** A request as it arrived at the proxy. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * What happens to one request or its answer:
 * - `answer`: the proxy answers itself; the server never hears of it
 * - `stall`: nobody answers
 * - `cut_request`: the server gets so many bytes of the body, then the connection breaks on both sides
 * - `flip_request_bit`: one bit of the body's byte with that index is another one when the server gets it
 * - `drop_answer`: the server does it all, and its answer is lost
 * - `cut_answer`, `stall_answer`: the answer's head and so many bytes of its body come, then the connection breaks, or nothing
 * - `shorten_answer`: the answer is complete and says so, but holds only so many bytes
 * - `flip_bit`: one bit of the answer's byte with that index is another one
 * - `shift_date`: the answer's Date header is that many milliseconds later
 */
export type HttpMischief =
  | { readonly kind: 'answer'; readonly status: number; readonly body?: string }
  | { readonly kind: 'stall' | 'drop_answer' }
  | { readonly kind: 'cut_request' | 'flip_request_bit' | 'cut_answer' | 'stall_answer' | 'shorten_answer' | 'flip_bit'; readonly bytes: number }
  | { readonly kind: 'shift_date'; readonly ms: number };

export interface FaultyHttpProxy {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Every request so far, in the order of arrival. */
  readonly seen: readonly SeenRequest[];
  /** Closes every connection. Safe to call twice. */
  stop(): Promise<void>;
}

/** A proxy before an HTTP/1.1 server that does to single requests what networks and busy servers do. Requests pass with the Host that they were signed for. */
export async function startFaultyHttpProxy(target: string, mischief: (request: SeenRequest) => HttpMischief | undefined): Promise<FaultyHttpProxy> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const arrived = { method, url, headers };
    seen.push(arrived);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    serve(request, response, target, mischief(arrived));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new StackFault('the proxy does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function serve(request: IncomingMessage, response: ServerResponse, target: string, fault: HttpMischief | undefined): void {
  if (fault?.kind === 'stall') {
    request.resume();
    return;
  }
  if (fault?.kind === 'answer') {
    request.resume().on('end', () => response.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body));
    return;
  }
  const { hostname, port } = new URL(target);
  const { method, url, headers } = request;
  const onward = sendRequest({ hostname, port, method, path: url, headers, agent: false }, (answer) => pass(answer, response, fault));
  const broken = (): unknown => request.socket.resetAndDestroy();
  onward.on('error', broken);
  request.on('close', () => {
    if (!request.complete) onward.destroy();
  });
  response.on('close', () => onward.destroy());
  if (fault?.kind !== 'cut_request') {
    const flips = fault?.kind === 'flip_request_bit' ? fault.bytes : undefined;
    (flips === undefined ? request : Readable.from(flipped(request, flips))).pipe(onward);
    return;
  }
  let left = fault.bytes;
  request.on('data', (chunk: Buffer) => {
    const reached = left > 0 && left <= chunk.length;
    // Only what has left this process reaches the server.
    if (left > 0) onward.write(chunk.subarray(0, left), () => reached && onward.destroy(new Error('cut')));
    left -= chunk.length;
  });
}

function pass(answer: IncomingMessage, response: ServerResponse, fault: HttpMischief | undefined): void {
  const broken = (): unknown => response.socket?.resetAndDestroy();
  answer.on('error', broken);
  if (fault?.kind === 'drop_answer') {
    answer.resume().on('end', broken);
    return;
  }
  const headers = { ...answer.headers };
  const length = Number(headers['content-length'] ?? 0);
  if (fault?.kind === 'shorten_answer') headers['content-length'] = String(Math.min(length, fault.bytes));
  if (fault?.kind === 'shift_date') headers.date = new Date(Date.parse(headers.date ?? '') + fault.ms).toUTCString();
  response.sendDate = false;
  response.writeHead(answer.statusCode ?? 502, headers);
  let at = 0;
  answer.on('data', (chunk: Buffer) => {
    const bytes = bent(chunk, at, fault);
    at += chunk.length;
    if (bytes.length > 0 && !response.write(bytes)) answer.pause();
    if (fault?.kind === 'cut_answer' && at >= fault.bytes) response.write('', broken);
  });
  response.on('drain', () => answer.resume());
  answer.on('end', () => {
    if (fault?.kind !== 'stall_answer') response.end();
  });
}

/** The chunk that begins at that byte of the body, as the fault lets it through. */
function bent(chunk: Buffer, at: number, fault: HttpMischief | undefined): Buffer {
  switch (fault?.kind) {
    case 'cut_answer':
    case 'stall_answer':
    case 'shorten_answer':
      return chunk.subarray(0, Math.max(0, fault.bytes - at));
    case 'flip_bit':
      return withBit(chunk, fault.bytes - at);
    default:
      return chunk;
  }
}

async function* flipped(body: AsyncIterable<Buffer>, index: number): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of body) {
    yield withBit(chunk, index - at);
    at += chunk.length;
  }
}

/** A copy with the lowest bit of that byte changed, if the chunk has one there. */
function withBit(chunk: Buffer, index: number): Buffer {
  const changed = Buffer.from(chunk);
  if (index >= 0 && index < chunk.length) changed[index] = (changed[index] ?? 0) ^ 1;
  return changed;
}
