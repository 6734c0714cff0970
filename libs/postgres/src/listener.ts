import pg from 'pg';
import type { Component, Logger } from '@leasehold/service';

export interface ListenerOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  /** Channels, each `[a-z_]+`. */
  readonly channels: readonly string[];
  readonly logger: Logger;
  readonly onNotify: (channel: string, payload: string) => void;
  /** After the connection was lost and opened again: notifications in between are gone, so look at everything once. */
  readonly onReopen: () => void;
}

const firstDelayMs = 50;
const maxDelayMs = 5_000;

/**
 * LISTEN on a connection of its own, opened again for ever after a loss. Notifications are hints: a user polls as well, as a
 * LISTEN can be lost without an error (a pooler in transaction mode).
 */
export class Listener implements Component {
  readonly name = 'postgres listener';
  readonly #options: ListenerOptions;
  readonly #stopping = new AbortController();
  #client: pg.Client | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Returns once LISTEN holds for the first time; fails when that cannot be. */
  async start(): Promise<void> {
    if (this.#loop !== undefined) return;
    const { lost } = await this.#open();
    this.#loop = this.#reopen(lost);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#client?.end();
    await this.#loop;
  }

  /** `lost` is wrapped, as an async function would wait for it. */
  async #open(): Promise<{ readonly lost: Promise<void> }> {
    const { connectionString, applicationName, channels, onNotify } = this.#options;
    const client = new pg.Client({ connectionString, application_name: applicationName, keepAlive: true, connectionTimeoutMillis: 5_000 });
    const lost = new Promise<void>((resolve) => {
      // Not once: a broken connection may report several errors, and one without a listener would end the process.
      client.on('error', () => resolve());
      client.on('end', () => resolve());
    });
    client.on('notification', ({ channel, payload }) => onNotify(channel, payload ?? ''));
    try {
      await client.connect();
      for (const channel of channels) await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch (error) {
      // Either way the connection is of no use; the first error is the one to report.
      await client.end().catch(() => undefined);
      throw error;
    }
    this.#client = client;
    return { lost };
  }

  async #reopen(first: Promise<void>): Promise<void> {
    const { logger, onReopen } = this.#options;
    let lost = first;
    while (!this.#stopping.signal.aborted) {
      await lost;
      for (let delayMs = firstDelayMs; !this.#stopping.signal.aborted; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
        try {
          ({ lost } = await this.#open());
          logger.info({ event: 'listener_reopened' }, 'LISTEN was lost and holds again');
          onReopen();
          break;
        } catch (error) {
          logger.warn({ event: 'listener_lost', reason: error instanceof Error ? error.message : String(error) }, 'LISTEN is lost; polling goes on');
          await pause(delayMs, this.#stopping.signal);
        }
      }
    }
    await this.#client?.end();
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
