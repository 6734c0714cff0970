import { createClient, type ClientOf } from '@leasehold/rpc';

// The part of grpc.health.v1 that is watched, by hand: no generated code of it is at home here. An empty request asks for the server as a whole.
const definition = {
  watch: {
    path: '/grpc.health.v1.Health/Watch',
    requestStream: false,
    responseStream: true,
    requestSerialize: (): Buffer => Buffer.alloc(0),
    requestDeserialize: (): object => ({}),
    responseSerialize: (): Buffer => Buffer.alloc(0),
    // One field, an enum: 1 is SERVING, 2 is NOT_SERVING.
    responseDeserialize: (bytes: Buffer): string => (bytes[1] === 1 ? 'SERVING' : 'NOT_SERVING'),
  },
} as const;

/** What a balancer that watches a server is told, in order, until the server ends the watch. */
export class HealthWatch {
  readonly told: string[] = [];
  readonly ended: Promise<void>;

  constructor(address: string) {
    this.ended = this.#watch(createClient(definition, address));
  }

  async #watch(client: ClientOf<typeof definition>): Promise<void> {
    try {
      for await (const status of client.watch({})) this.told.push(status);
    } finally {
      client.close();
    }
  }
}
