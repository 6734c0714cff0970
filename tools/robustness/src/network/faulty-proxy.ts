import { once } from 'node:events';
import {
  connect, constants, createServer, type ClientHttp2Session, type ClientHttp2Stream, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream,
} from 'node:http2';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Mischief } from './mischief.js';

/** A proxy before a gRPC server that does to single calls what networks do; everything else passes as it is. */
export class FaultyProxy {
  readonly address: string;
  readonly #server: Http2Server;
  /** By the caller's port. */
  readonly #sockets = new Map<number | undefined, Socket>();

  private constructor(server: Http2Server, address: string) {
    this.#server = server;
    this.address = address;
  }

  /** @param target host:port of the server; it may be away and come back */
  static async before(target: string, mischief: Mischief): Promise<FaultyProxy> {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the proxy does not listen');
    const proxy = new FaultyProxy(server, `127.0.0.1:${bound.port}`);
    // First, as the server makes the session as soon as it hears of the connection.
    server.prependListener('connection', (socket: Socket) => {
      const port = socket.remotePort;
      proxy.#sockets.set(port, socket);
      socket.on('close', () => proxy.#sockets.delete(port));
    });
    server.on('session', (near) => proxy.#join(near, target, mischief));
    return proxy;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets.values()) socket.resetAndDestroy();
    await closed;
  }

  /** Each connection has one of its own to the server, and both end together. */
  #join(near: ServerHttp2Session, target: string, mischief: Mischief): void {
    const far = connect(`http://${target}`);
    const socket = this.#sockets.get(near.socket.remotePort);
    if (socket === undefined) throw new Error('a session without a connection');
    // Not session.destroy(): it would say politely that its calls are over.
    const cut = (): void => void socket.resetAndDestroy();
    near.on('error', () => undefined);
    near.on('close', () => far.close());
    far.on('error', cut);
    far.on('goaway', () => near.close());
    far.on('close', cut);
    near.on('stream', (stream, headers) => {
      // Where there is no way to the server any more, as a server that drains says it: the call was not begun.
      void pass({ target, far, stream, headers, mischief, cut }).catch(() => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    });
  }
}

interface Call {
  readonly target: string;
  readonly far: ClientHttp2Session;
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly mischief: Mischief;
  /** Breaks the caller's connection. */
  readonly cut: () => void;
}

async function pass(call: Call): Promise<void> {
  const { target, far, stream, mischief, cut } = call;
  stream.on('error', () => undefined);
  const fate = mischief.fateOf(call.headers[':path']?.split('/').at(-1) ?? '', target);
  if (fate === 'unsent') return cut();
  if (fate === 'held') {
    const body = await buffer(stream);
    await mischief.released();
    far.request(headersOf(call)).on('error', () => undefined).end(body).resume();
    return;
  }
  const onward = far.request(headersOf(call));
  onward.on('error', () => undefined);
  onward.on('close', () => {
    if (far.destroyed) cut();
    else if (onward.rstCode !== constants.NGHTTP2_NO_ERROR) stream.close(onward.rstCode);
  });
  stream.pipe(onward);
  stream.on('aborted', () => onward.close(constants.NGHTTP2_CANCEL));
  if (fate === 'reply lost') onward.resume().on('end', cut);
  else answer(stream, onward, cut);
}

/** Without what belongs to one connection. */
function headersOf({ headers }: Call): IncomingHttpHeaders {
  const { connection: _connection, 'transfer-encoding': _encoding, ...kept } = headers;
  return kept;
}

function answer(near: ServerHttp2Stream, far: ClientHttp2Stream, cut: () => void): void {
  let trailers: IncomingHttpHeaders | undefined;
  far.on('trailers', (received) => { trailers = received; });
  far.on('response', (received, flags) => {
    if (near.destroyed) return;
    // A refusal is told by headers alone.
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) return near.respond(received, { endStream: true });
    near.respond(received, { waitForTrailers: true });
    // An answer without an end: the server is gone.
    near.on('wantTrailers', () => (trailers === undefined ? cut() : near.sendTrailers(trailers)));
    far.pipe(near);
  });
}
