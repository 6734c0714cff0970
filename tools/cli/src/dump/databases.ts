import { Refusal } from '../terminal.js';

/** In the order in which they are dumped; see the README for why. */
export const databaseNames = ['queue', 'records'] as const;
export type DatabaseName = (typeof databaseNames)[number];

/** Whose migrations made a part of a database, and the table that says which of them are applied. */
export interface SchemaOwner {
  readonly versionTable: string;
  readonly directory: URL;
}

/** The first owner's tables are there in every database of Leasehold. Loaded when asked for: the other commands need no service. */
export async function ownersOf(name: DatabaseName): Promise<readonly [SchemaOwner, ...SchemaOwner[]]> {
  switch (name) {
    case 'queue': {
      const { migrations } = await import('@leasehold/queue-coordinator');
      return [{ versionTable: 'schema_version', directory: migrations }];
    }
    case 'records': {
      const [{ migrationsDirectory }, { ledgerSchema }] = await Promise.all([import('@leasehold/ingest'), import('@leasehold/stock-ledger')]);
      return [{ versionTable: 'schema_version', directory: migrationsDirectory }, ledgerSchema];
    }
  }
}

export const variableOf: Readonly<Record<DatabaseName, string>> = { queue: 'LEASEHOLD_QUEUE_DATABASE_URL', records: 'LEASEHOLD_RECORDS_DATABASE_URL' };

/** A failure of the server or of the way to it, in one line for whoever asked; a connection string is never part of it. */
function databaseRefusal(name: DatabaseName, error: unknown): Error {
  if (error instanceof Refusal || !(error instanceof Error)) return error instanceof Error ? error : new Error(String(error));
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === '3D000') return new Refusal(`${name}: ${error.message}: make it first (create database ...)`);
  // Of several addresses that refuse, only the code says anything.
  return new Refusal(`${name}: ${error.message || code}`, { cause: error });
}

/** Connection strings of the databases meant. */
export type DatabaseUrls = Partial<Readonly<Record<DatabaseName, string>>>;

/** Says of a failure which database it is of; of an interruption, that it was one. */
export async function named<T>(name: DatabaseName, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? signal.reason : databaseRefusal(name, error);
  }
}
