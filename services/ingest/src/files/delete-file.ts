import type { Card } from './card.js';
import { cardNamed, fileIdIn } from './named.js';
import type { FileParts } from './parts.js';
import { fileName } from './resource-name.js';

/** Revokes the right to commit at once, in one statement, whatever is running. A repeat answers the card. */
export async function deleteFile(parts: FileParts, name: string): Promise<Card> {
  const deleted = await parts.records.delete(fileIdIn(name), parts.limits.writeWindowMs);
  if (deleted === undefined) return cardNamed(parts.records, name);
  parts.changes.announce(fileName(deleted));
  if (deleted.cancelDue !== null) parts.onDeleted();
  parts.logger.info({ event: 'file_deleted', file: fileName(deleted), generation: deleted.generation }, 'no outcome applies any more');
  return deleted;
}
