import { onTestFinished } from 'vitest';
import { EchoServiceService, MirrorServiceService } from '@leasehold/echo-v1';
import { createLogger, createRegistry } from '@leasehold/service';
import { createClient, type ClientOf, type ClientOptions } from './client.js';
import type { HandlersOf } from './definition.js';
import { faults } from './faults.js';
import { GrpcServer, type GrpcServerOptions } from './grpc-server.js';
import { readImage } from './image.js';
import { service } from './service.js';

export type Echo = typeof EchoServiceService;
export type Mirror = typeof MirrorServiceService;

export const ECHO_DOMAIN = 'echo.leasehold';
export const MIRROR_DOMAIN = 'mirror.leasehold';

/** Two services on a loopback server, with the handlers that a test gives. Stopped when the test ends. */
export interface Edges {
  readonly server: GrpcServer;
  /** The lines logged so far. */
  logged(): Record<string, unknown>[];
  /** How many calls of a method were answered with a code. */
  answered(method: string, code: string): Promise<number>;
  echoClient(o?: ClientOptions<keyof Echo>, address?: string | string[]): ClientOf<Echo>;
  mirrorClient(o?: ClientOptions<keyof Mirror>, address?: string | string[]): ClientOf<Mirror>;
}

export interface EdgesOptions extends Partial<Pick<GrpcServerOptions, 'maxReceiveBytes' | 'maxConcurrentCalls' | 'keepalive'>> {
  echo?: Partial<HandlersOf<Echo>>;
  mirror?: Partial<HandlersOf<Mirror>>;
}

export async function serveEdges(o: EdgesOptions = {}): Promise<Edges> {
  const { echo, mirror, ...limits } = o;
  let log = '';
  const registry = createRegistry('tested');
  const server = new GrpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [
      service(EchoServiceService, { echo: refuse, discard: refuse, repeat: refuse, collect: refuse, ...echo }, { domain: ECHO_DOMAIN }),
      service(MirrorServiceService, { mirror: refuse, ...mirror }, { domain: MIRROR_DOMAIN }),
    ],
    // Two, as of a server of several edges; both hold google/protobuf/duration.proto.
    images: [image('@leasehold/google-rpc'), image('@leasehold/echo-v1')],
    logger: createLogger({ service: 'tested', level: 'trace', destination: { write: (line: string) => { log += line; } } }),
    registry,
    ...limits,
  });
  await server.start();
  onTestFinished(() => server.stop(AbortSignal.abort()));
  const closing = <C extends { close(): void }>(client: C): C => {
    onTestFinished(() => client.close());
    return client;
  };
  return {
    server,
    logged: () => log.split('\n').filter((line) => line !== '').map(parseLine),
    answered: async (method, code) => {
      const { values } = (await registry.getSingleMetric('leasehold_rpc_server_calls_total')?.get()) ?? { values: [] };
      return values.find(({ labels }) => String(labels['method']).endsWith(`/${method}`) && labels['code'] === code)?.value ?? 0;
    },
    echoClient: (options, address = server.address) => closing(createClient(EchoServiceService, address, options)),
    mirrorClient: (options, address = server.address) => closing(createClient(MirrorServiceService, address, options)),
  };
}

export const image = (edge: string): Uint8Array => readImage(import.meta.resolve(`${edge}/image.binpb`));

function parseLine(line: string): Record<string, unknown> {
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null) throw new TypeError(`not a log line: ${line}`);
  return { ...value };
}

const refuse = (): never => {
  throw faults('tested').unimplemented();
};
