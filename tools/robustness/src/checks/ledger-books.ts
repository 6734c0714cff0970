import { Ledger } from '@leasehold/stock-ledger';
import type { Database } from '@leasehold/postgres';
import type { Fleet } from '../fleet/fleet.js';

/** What does not add up: stock that is not the sum of its moves, a batch that counts twice, an import that has not ended. None, or something is broken. */
export async function ledgerFaults(fleet: Fleet, db: Database): Promise<string[]> {
  const faults: string[] = [];
  for (const { sku, moved, inStock } of await new Ledger(db).imbalance('default')) faults.push(`${sku}: ${moved} moved, ${inStock} in stock`);
  const { rows: twice } = await fleet.records.query<{ import_id: string; sku: string; n: number }>(
    'select import_id, sku, count(*)::int as n from all_moves group by namespace, import_id, warehouse, sku having count(*) > 1',
  );
  for (const { import_id: id, sku, n } of twice) faults.push(`${id} moved ${sku} ${n} times`);
  const { rows: odd } = await fleet.records.query<{ import_id: string }>(
    `select import_id from imports where (state = 'applied') <> exists (select from applied_batches b where b.namespace = imports.namespace and b.import_id = imports.import_id)`,
  );
  for (const { import_id: id } of odd) faults.push(`${id}: the journal and the applied batches do not agree`);
  const { rows: open } = await fleet.records.query<{ import_id: string }>("select import_id from imports where state = 'accepted'");
  for (const { import_id: id } of open) faults.push(`${id} has not ended`);
  return faults;
}
