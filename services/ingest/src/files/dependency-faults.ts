import { StoreFault } from '@leasehold/object-store';
import { Fault } from '@leasehold/rpc';
import { databaseUnavailable, storeUnavailable } from '../faults.js';

// Connection exceptions, too many connections, lock and statement timeouts, a server that starts or stops.
const busySqlStates = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;
const brokenSockets = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
// node-postgres says these without a code.
const brokenConnections = /^(Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after calling end|Client has encountered a connection error)/;

function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return busySqlStates.test(code) || brokenSockets.has(code) || brokenConnections.test(error.message);
}

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
