import { Notifier, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';
import type { Topic, Wakeups } from './wakeups.js';

/** The channel on which coordinators tell each other what may have changed. */
export const channel = 'leasehold_queue';

/** Tells this coordinator's long polls at once and the others' through the database. To be called after the commit, never before. */
export class Signals {
  readonly #wakeups: Wakeups;
  readonly #notifier: Notifier;

  constructor(db: Database, wakeups: Wakeups, logger: Logger) {
    this.#wakeups = wakeups;
    this.#notifier = new Notifier(db, channel, { minIntervalMs: 5, logger });
  }

  send(...topics: readonly Topic[]): void {
    for (const topic of new Set(topics)) {
      this.#wakeups.wake(topic);
      this.#notifier.notify(topic);
    }
  }
}

const isTopic = (word: string): word is Topic => word === 'change' || word.startsWith('due ') || word.startsWith('outcome ');

/** What another coordinator sent: a comma-separated list of topics. */
export function receive(wakeups: Wakeups, payload: string): void {
  for (const word of payload.split(',')) if (isTopic(word)) wakeups.wake(word);
}
