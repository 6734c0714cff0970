import { onTestFinished } from 'vitest';
import { FileServiceService } from '@leasehold/ingest-v1';
import { QueueServiceService } from '@leasehold/queue-v1';
import { createLogger, createRegistry } from '@leasehold/service';
import { createClient, type ClientOf, type ClientOptions } from './client.js';
import type { HandlersOf } from './definition.js';
import { faults } from './faults.js';
import { GrpcServer, type GrpcServerOptions } from './grpc-server.js';
import { readImage } from './image.js';
import { service } from './service.js';

export type Queue = typeof QueueServiceService;
export type Files = typeof FileServiceService;

export const QUEUE_DOMAIN = 'queue.leasehold';
export const FILES_DOMAIN = 'ingest.leasehold';

/** Two real edges on a loopback server, with the handlers that a test gives. Stopped when the test ends. */
export interface Edges {
  readonly server: GrpcServer;
  /** The lines logged so far. */
  logged(): Record<string, unknown>[];
  /** How many calls of a method were answered with a code. */
  answered(method: string, code: string): Promise<number>;
  queue(o?: ClientOptions<keyof Queue>, address?: string | string[]): ClientOf<Queue>;
  files(o?: ClientOptions<keyof Files>, address?: string | string[]): ClientOf<Files>;
}

export interface EdgesOptions extends Partial<Pick<GrpcServerOptions, 'maxReceiveBytes' | 'maxConcurrentCalls' | 'keepalive'>> {
  queue?: Partial<HandlersOf<Queue>>;
  files?: Partial<HandlersOf<Files>>;
}

export async function serveEdges(o: EdgesOptions = {}): Promise<Edges> {
  const { queue, files, ...limits } = o;
  let log = '';
  const registry = createRegistry('tested');
  const server = new GrpcServer({
    host: '127.0.0.1',
    port: 0,
    services: [
      service(QueueServiceService, { ...queueRefusals, ...queue }, { domain: QUEUE_DOMAIN }),
      service(FileServiceService, { ...fileRefusals, ...files }, { domain: FILES_DOMAIN }),
    ],
    images: [image('@leasehold/queue-v1'), image('@leasehold/ingest-v1')],
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
    queue: (options, address = server.address) => closing(createClient(QueueServiceService, address, options)),
    files: (options, address = server.address) => closing(createClient(FileServiceService, address, options)),
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

const queueRefusals: HandlersOf<Queue> = {
  enqueueJobs: refuse, getJob: refuse, batchGetJobs: refuse, listJobs: refuse, cancelJob: refuse, watchJob: refuse, pullOutcomes: refuse, ackOutcomes: refuse,
};

const fileRefusals: HandlersOf<Files> = {
  createFile: refuse, uploadFile: refuse, confirmFile: refuse, getFile: refuse, listFiles: refuse, watchFile: refuse, downloadFile: refuse,
  getDownloadUrl: refuse, retryFile: refuse, deleteFile: refuse,
};
