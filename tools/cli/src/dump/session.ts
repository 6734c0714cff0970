import pg from 'pg';

// Text that every server reads the same way, and no bound on the time that a big table takes. A lock that others hold is not waited for without end.
const settings = [
  "timezone = 'UTC'", "datestyle = 'ISO, YMD'", "intervalstyle = 'postgres'", 'extra_float_digits = 1', "bytea_output = 'hex'", "client_encoding = 'UTF8'",
  'statement_timeout = 0', 'idle_in_transaction_session_timeout = 0', "lock_timeout = '30s'",
];

/** Opens a connection; an abort closes it, and with it what is under way on the server. Whoever opened it ends it: without a commit the server rolls back. */
export async function openSession(connectionString: string, signal: AbortSignal): Promise<pg.Client> {
  signal.throwIfAborted();
  const client = new pg.Client({ connectionString, application_name: 'leasehold', connectionTimeoutMillis: 10_000, keepAlive: true });
  // A connection that breaks between two statements; the next one fails and says so.
  client.on('error', () => undefined);
  await client.connect();
  const abort = (): void => void client.end().catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  client.once('end', () => signal.removeEventListener('abort', abort));
  if (signal.aborted) abort();
  await client.query(settings.map((setting) => `set ${setting}`).join('; '));
  return client;
}

/** A name with its schema, for a statement. */
export const qualified = ({ schema, name }: { readonly schema: string; readonly name: string }): string => `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;

/** Names for a statement. */
export const listed = (names: readonly string[]): string => names.map((name) => pg.escapeIdentifier(name)).join(', ');
