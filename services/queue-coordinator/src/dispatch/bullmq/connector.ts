import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { AbstractConnector } from 'ioredis';

interface Options {
  readonly host?: string;
  readonly port?: number;
  readonly family?: number;
  readonly tls?: ConnectionOptions;
  readonly disconnectTimeout?: number;
}

/**
 * Connects as ioredis's own connector does, with one difference: an error of a socket never ends the process. A TLS socket can fail twice, by the alert that the server answers to
 * a handshake which was given up, and ioredis listens once.
 */
export class SafeConnector extends AbstractConnector {
  readonly #options: Options;

  constructor(options: unknown) {
    const read = isOptions(options) ? options : {};
    super(read.disconnectTimeout ?? 2_000);
    this.#options = read;
  }

  override async connect(): Promise<Socket> {
    this.connecting = true;
    // As ioredis expects: not before whoever called has gone on.
    await new Promise((resolve) => process.nextTick(resolve));
    if (!this.connecting) throw new Error('Connection is closed.');
    const { host = '127.0.0.1', port = 6379, family = 0, tls } = this.#options;
    const socket = tls === undefined ? connectPlain({ host, port, family }) : connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}), ...tls });
    socket.on('error', (error: Error) => {
      this.firstError ??= error;
    });
    this.stream = socket;
    return socket;
  }
}

const isOptions = (options: unknown): options is Options => typeof options === 'object' && options !== null;
