import { systemClock } from '@leasehold/service';
import { Unreachable } from './terminal.js';

/** How long to wait, and how often to ask. */
export interface Patience {
  readonly timeoutMs: number;
  readonly everyMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Asks again until the answer is what is waited for. Nobody who answers is waited for as well.
 * @param told hears every answer that is not
 * @returns the last answer, whatever it is
 * @throws Unreachable when the last time nobody answered
 */
export async function until<T>({ timeoutMs, everyMs, signal }: Patience, ask: () => Promise<T>, isIt: (answer: T) => boolean, told: (answer: T | Unreachable) => void): Promise<T> {
  const end = systemClock.now() + timeoutMs;
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      if (error instanceof Unreachable) return error;
      throw error;
    });
    if (!(answer instanceof Unreachable) && isIt(answer)) return answer;
    const left = end - systemClock.now();
    if (left <= 0 || signal.aborted) {
      if (answer instanceof Unreachable) throw answer;
      return answer;
    }
    told(answer);
    await systemClock.wait(Math.min(everyMs, left), signal).catch(() => undefined);
  }
}
