/** The SQLSTATE of an error that came from the server, or undefined. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/**
 * Whether the transaction may succeed when repeated from its start: serialization_failure and deadlock_detected.
 * Source: PostgreSQL's manual, "Serialization Failure Handling".
 */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/**
 * Whether the statement's own values are at fault (classes 22 data exception and 23 integrity constraint violation), so that
 * a batch is worth splitting to find the bad row.
 */
export function isDataError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && (code.startsWith('22') || code.startsWith('23'));
}

// Connection exceptions, too many connections, lock and statement timeouts, a server that starts or stops.
const busySqlStates = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;
const brokenSockets = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
// node-postgres says these without a code.
const brokenConnections = /^(Connection terminated|timeout exceeded when trying to connect|Cannot use a pool after calling end|Client has encountered a connection error)/;

/** Whether the database is out of reach or overloaded for a moment, and the statement itself is not at fault: whoever asked may ask again soon. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error) ?? '';
  return busySqlStates.test(code) || brokenSockets.has(code) || (error instanceof Error && brokenConnections.test(error.message));
}
