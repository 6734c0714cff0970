import type { Clock } from '@leasehold/service';
import { cardNamed, fileIdIn } from './named.js';
import type { FileParts } from './parts.js';
import { isFinal } from './rules.js';
import { shown, type ShownCard } from './shown-card.js';

/**
 * The card now and after each change of it, its attempt or its progress, until it is final. Woken by the change itself; polls as
 * well, as a wake-up is only a hint.
 */
export async function* watchFile(parts: FileParts, name: string, signal: AbortSignal): AsyncGenerator<ShownCard> {
  const changed = new Wake();
  // Before the first read: a change between the two would be missed.
  const unsubscribe = parts.changes.subscribe(fileIdIn(name), () => changed.ring());
  try {
    let sent = '';
    while (!signal.aborted) {
      const now = await shown(await cardNamed(parts.records, name), parts);
      const text = fingerprint(now);
      if (text !== sent) yield now;
      sent = text;
      if (isFinal(now.card.state)) return;
      await changed.wait(now.card.state === 'queued' ? parts.limits.watchProgressMs : parts.limits.watchFloorMs, parts.clock, signal);
    }
  } finally {
    unsubscribe();
  }
}

const fingerprint = ({ card, job }: ShownCard): string => JSON.stringify([card.state, String(card.revision), job?.leased, job?.attempt, job?.maxAttempts, job?.percent, job?.stage]);

/** Ends one wait early; a ring while nobody waits ends the next one. */
class Wake {
  #rung = false;
  #end: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#end?.();
  }

  /** Until it rings, `ms` have passed or the signal fires. */
  async wait(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
    if (!this.#rung) {
      const rung = new AbortController();
      this.#end = () => rung.abort();
      await clock.wait(ms, AbortSignal.any([signal, rung.signal])).catch(() => undefined);
      this.#end = undefined;
    }
    this.#rung = false;
  }
}
