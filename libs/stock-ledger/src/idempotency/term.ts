import { sql, type Transaction } from '@leasehold/postgres';

const statements = { forget: sql(import.meta.url, 'forget-expired'), set: sql(import.meta.url, 'set-term') };

/** One bounded run; more than 0: there may be more. */
export const forgetExpired = async (db: Transaction, limit: number): Promise<number> => (await db.query(statements.forget, [limit])).length;

/**
 * Limits how long applied batches stay known; off by default, and to be left off unless the table's size hurts (about 200 bytes a batch). Needs the rights
 * of the tables' owner.
 * @param namespace empty: all that have no term of their own
 * @param termMs from 1; undefined: for ever
 */
export async function setIdempotencyTerm(db: Transaction, namespace: string, termMs: number | undefined): Promise<void> {
  await db.query(statements.set, [namespace, termMs ?? null]);
}
