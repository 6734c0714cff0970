import type { Client } from '@grpc/grpc-js';
import type { Certificates } from '@leasehold/service';

/** Calls that have not found a connection by then will not find one. */
const LINGER_MS = 30_000;

/**
 * The connections of one client. TLS judges both sides when a connection is made and never again: so each change of certificates begins new
 * connections, for later calls, and lets the calls under way end on the old ones.
 */
export class Connections {
  readonly #open: () => Client;
  readonly #forget: (() => void) | undefined;
  readonly #leaving = new Map<Client, NodeJS.Timeout>();
  #client: Client;

  constructor(open: () => Client, certificates: Certificates | undefined) {
    this.#open = open;
    this.#client = open();
    this.#forget = certificates?.onChange(() => this.#renew());
  }

  get client(): Client {
    return this.#client;
  }

  close(): void {
    this.#forget?.();
    for (const [client, timer] of this.#leaving) {
      clearTimeout(timer);
      client.close();
    }
    this.#leaving.clear();
    this.#client.close();
  }

  #renew(): void {
    const old = this.#client;
    this.#client = this.#open();
    const leave = (): void => {
      this.#leaving.delete(old);
      old.close();
    };
    this.#leaving.set(old, setTimeout(leave, LINGER_MS).unref());
  }
}
