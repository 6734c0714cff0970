import type { ImportRecord } from '@leasehold/stock-ledger';
import { importEnded, importNotFound } from '../faults.js';
import { importIdIn } from './named.js';
import type { ImportParts } from './parts.js';
import { importName } from './resource-name.js';

/** Ended by the ledger at once, whatever is running; the job follows by the cancel duty. A repeat answers the import. */
export async function cancelImport(parts: ImportParts, name: string): Promise<ImportRecord> {
  const { db, ledger, jobs, changes, logger } = parts;
  const id = importIdIn(name);
  const { verdict, import: record, changed } = await db.transaction(async (tx) => {
    const answer = await ledger.cancel(id, tx);
    if (answer.changed && answer.import !== undefined) await jobs.cancel(tx, id, answer.import.generation);
    return answer;
  });
  if (record === undefined) throw importNotFound(name);
  if (verdict !== 'cancelled') throw importEnded(name, record.state.toUpperCase());
  if (changed) {
    changes.announce(importName(id));
    parts.onCancelled();
    logger.info({ event: 'import_cancelled', import: importName(id), generation: record.generation }, 'no run applies it any more');
  }
  return record;
}
