import type { Logger } from '@leasehold/service';
import type { Database } from './database.js';

/**
 * Sends NOTIFY in a statement of its own, at most one per interval: inside the transaction that changed the rows it would take a
 * global lock at commit and serialise all commits (measured: 7 k/s fell to 2.5 k/s). A notification is a hint; losing one
 * costs its receivers their polling interval, no more.
 */
export class Notifier {
  readonly #db: Database;
  readonly #channel: string;
  readonly #minIntervalMs: number;
  readonly #logger: Logger;
  readonly #waiting = new Set<string>();
  #scheduled = false;

  constructor(db: Database, channel: string, options: { readonly minIntervalMs?: number; readonly logger: Logger }) {
    this.#db = db;
    this.#channel = channel;
    this.#minIntervalMs = options.minIntervalMs ?? 5;
    this.#logger = options.logger;
  }

  /** Payloads are words without commas; those of one interval are sent as one comma-separated list, each once. */
  notify(payload: string): void {
    this.#waiting.add(payload);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setTimeout(() => void this.#send(), this.#minIntervalMs);
  }

  async #send(): Promise<void> {
    const payload = [...this.#waiting].join(',');
    this.#waiting.clear();
    this.#scheduled = false;
    try {
      await this.#db.pool.query('select pg_notify($1, $2)', [this.#channel, payload]);
    } catch (error) {
      this.#logger.debug({ event: 'notify_failed', reason: error instanceof Error ? error.message : String(error) }, 'a wake-up was not sent; polling finds the work');
    }
  }
}
