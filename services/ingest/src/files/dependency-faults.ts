import { StoreFault } from '@leasehold/object-store';
import { isDatabaseAway } from '@leasehold/postgres';
import { Fault } from '@leasehold/rpc';
import { databaseUnavailable, storeUnavailable } from '../faults.js';

/** What a caller is told when something that the call needs is away: try again soon. Everything else stays as it is. */
export function asFault(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (error instanceof StoreFault && error.kind === 'unavailable') return storeUnavailable();
  return isDatabaseAway(error) ? databaseUnavailable() : error;
}

/** Runs a call; what was away becomes UNAVAILABLE. Repeating is safe, as every call here is. */
export async function answering<R>(call: () => Promise<R>): Promise<R> {
  try {
    return await call();
  } catch (error) {
    throw asFault(error);
  }
}

/** The same for a call that answers many times. */
export async function* answeringEach<T, R>(answers: AsyncIterable<T>, toMessage: (answer: T) => R): AsyncGenerator<R> {
  try {
    for await (const answer of answers) yield toMessage(answer);
  } catch (error) {
    throw asFault(error);
  }
}
