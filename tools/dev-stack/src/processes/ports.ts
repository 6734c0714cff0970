import { createServer } from 'node:net';
import { freePort } from '@leasehold/test-stack';

/** The ports that are tried first. Further coordinators take the next two each, further workers the next one. */
export const defaultPorts = { coordinator: { grpc: 7400, http: 7401 }, ingest: { grpc: 7410, http: 7411 }, worker: { http: 7421 }, importWorker: { http: 7431 }, postgres: 7432, redis: 7433 } as const;

export const loopback = '127.0.0.1';

/** Chooses ports on the loopback address. Reserves none: whoever binds one must be ready to hear that it is taken. */
export class Ports {
  readonly #note: (text: string) => void;

  /** @param note is told when another port than the wanted one is given */
  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  /**
   * The wanted port, or a free one when something listens there.
   * @param who what will listen, for the note
   */
  async take(wanted: number, who: string): Promise<number> {
    if (await isFree(wanted)) return wanted;
    const port = await freePort();
    this.#note(`port ${wanted} is taken: ${who} listens on ${port} instead`);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host: loopback, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
