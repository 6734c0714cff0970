import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut, and kept from being made again. */
export class CuttableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #open = true;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number): Promise<CuttableProxy> {
    const server = createServer();
    const proxy = new CuttableProxy(server);
    server.on('connection', (from) => proxy.#join(from, port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
    return address.port;
  }

  /** Of connections made so far, also those that were refused. */
  attempts = 0;

  cut(): void {
    this.#open = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  restore(): void {
    this.#open = true;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(from: Socket, port: number): void {
    this.attempts += 1;
    if (!this.#open) {
      from.destroy();
      return;
    }
    const to = connect({ host: '127.0.0.1', port });
    for (const [socket, other] of [[from, to], [to, from]] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    from.pipe(to);
    to.pipe(from);
  }
}
