import { sql, type Database } from '@leasehold/postgres';

const statement = sql(import.meta.url, 'database-time');

/** By which every due time is judged. */
export async function databaseTime(db: Database): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(statement, []);
  if (row === undefined) throw new Error('the database told no time');
  return row.now;
}
