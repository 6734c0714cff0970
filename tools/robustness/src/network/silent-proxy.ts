import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy before a server, of any protocol, that can fall silent: connections stay open and nothing passes any more. */
export class SilentProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>, port: number) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = port;
  }

  static async before(target: { readonly host: string; readonly port: number }): Promise<SilentProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(target.port, target.host);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('the proxy does not listen');
    return new SilentProxy(server, sockets, bound.port);
  }

  /** The URL as it goes through here. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String(this.port);
    return changed.href;
  }

  /** As a server that is frozen, or a cable that is cut: nothing is said, and nothing is closed. */
  fallSilent(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
