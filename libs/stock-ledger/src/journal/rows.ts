import { sql, type Statement, type Transaction } from '@leasehold/postgres';
import { importOf, type ImportId, type ImportRecord, type ImportRow } from './import-record.js';

const findStatement = sql(import.meta.url, 'find');
const healStatement = sql(import.meta.url, 'heal');

/** Runs one statement that answers one row of the journal or none. */
export async function one(db: Transaction, statement: Statement, params: readonly unknown[]): Promise<ImportRecord | undefined> {
  const [row] = await db.query<ImportRow>(statement, params);
  return row === undefined ? undefined : importOf(row);
}

export const find = async (db: Transaction, { namespace, importId }: ImportId): Promise<ImportRecord | undefined> => one(db, findStatement, [namespace, importId]);

/**
 * The row as it is, after applied_batches had its say: a row that is not APPLIED although the batch is (restored from an older backup, or lost) is mended first.
 * For whoever found that a row's conditions do not hold, so that the usual path pays nothing for it.
 */
export async function findHealed(db: Transaction, id: ImportId): Promise<ImportRecord | undefined> {
  const found = await find(db, id);
  if (found?.state === 'applied') return found;
  return (await one(db, healStatement, [id.namespace, id.importId])) ?? find(db, id);
}
