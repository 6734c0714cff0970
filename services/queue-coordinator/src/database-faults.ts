import { isDatabaseAway } from '@leasehold/postgres';
import { Fault, type Faults } from '@leasehold/rpc';

const retryDelayMs = 1_000;

/** What a caller is told when the database is out of reach or overloaded: try again soon. Repeating is safe, as every call of both edges is. */
function asFault(error: unknown, of: Faults): unknown {
  return error instanceof Fault || !isDatabaseAway(error) ? error : of.unavailable('DATABASE_UNAVAILABLE', 'the queue is out of reach for a moment', retryDelayMs);
}

/** Runs a call; a database that is away becomes UNAVAILABLE, which callers repeat, and not INTERNAL, which they report. */
export function answering(of: Faults): <Args extends readonly unknown[], R>(call: (...args: Args) => Promise<R>) => (...args: Args) => Promise<R> {
  return (call) => async (...args) => {
    try {
      return await call(...args);
    } catch (error) {
      throw asFault(error, of);
    }
  };
}

/** The same for a call that answers many times. */
export async function* answeringEach<T>(of: Faults, answers: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* answers;
  } catch (error) {
    throw asFault(error, of);
  }
}
