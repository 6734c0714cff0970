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
