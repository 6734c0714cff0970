import type { Database } from '@leasehold/postgres';
import { checkLedger } from '@leasehold/stock-ledger';
import type { Dependency } from '@leasehold/worker-runtime';

/** The database `records`, as far as this worker needs it: reachable, with the ledger's tables of this build or a later one. */
export const recordsDatabase = (db: Database): Dependency => ({
  name: 'records-database',
  start: async () => {
    // Refused at the start rather than at the first import; a database that is away may come.
    await db.start();
    const ledger = await checkLedger(db);
    if (!ledger.ok) throw new Error(ledger.detail ?? 'the ledger\'s tables are not those of this build');
  },
  stop: () => db.stop(),
  readiness: async () => ({ ...(await checkLedger(db)), name: 'records-database' }),
});
