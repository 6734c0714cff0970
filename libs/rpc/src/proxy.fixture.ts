import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy before a server, to do to connections what networks do. Closed when the test ends. */
export interface Proxy {
  readonly address: string;
  /** Ends the connections in good order, as when a process exits. */
  end(): void;
  /** Resets the connections. */
  cut(): void;
  /** Passes nothing on any more, and says nothing. */
  swallow(): void;
}

export async function proxyTo(address: string): Promise<Proxy> {
  const [host, port] = address.split(':');
  const sockets = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connect(Number(port), host ?? '');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.pipe(far).pipe(near);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const bound = proxy.address();
  if (bound === null || typeof bound === 'string') throw new Error('the proxy does not listen');
  const all = (act: (socket: Socket) => unknown) => (): void => sockets.forEach(act);
  const cut = all((socket) => socket.resetAndDestroy());
  onTestFinished(() => {
    proxy.close();
    cut();
  });
  return { address: `127.0.0.1:${bound.port}`, end: all((socket) => socket.end()), cut, swallow: all((socket) => socket.unpipe().pause()) };
}
