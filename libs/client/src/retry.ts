import { setTimeout as wait } from 'node:timers/promises';
import { Fault, status } from '@leasehold/rpc';

const attempts = 4;
const firstDelayMs = 100;
const maxDelayMs = 5_000;

/** Whether the server, or the way to it, was away: nothing was said about the call itself. */
export const wasAway = (error: unknown): error is Fault => error instanceof Fault && (error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED);

/** Runs a call that may be repeated from its beginning, 4 times while the server is away. */
export async function repeated<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!wasAway(error) || attempt >= attempts) throw error;
      await backOff(attempt, error, signal);
    }
  }
}

/** Waits before attempt n (from 1) is repeated: doubling from 100 ms to 5 s, with up to as much again at random, or as long as the server asked for. */
export async function backOff(attempt: number, error: unknown, signal: AbortSignal | undefined): Promise<void> {
  const plannedMs = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs) * (1 + Math.random());
  const askedMs = error instanceof Fault ? (error.retryDelayMs ?? 0) : 0;
  await wait(Math.max(plannedMs, askedMs), undefined, signal === undefined ? {} : { signal });
}
