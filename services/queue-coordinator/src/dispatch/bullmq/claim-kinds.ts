import { sql, type Database } from '@leasehold/postgres';
import type { Logger } from '@leasehold/service';

const claimKindsSql = sql(import.meta.url, 'claim-kinds');
const knownKindsSql = sql(import.meta.url, 'known-kinds');

/** Sets the policies of the kinds to BullMQ, once for all coordinators. It never sets them back. @throws when a kind has no policy. */
export async function claimKinds(db: Database, logger: Logger, kinds: readonly string[]): Promise<void> {
  if (kinds.length === 0) return;
  const known = new Set((await db.query<{ kind: string }>(knownKindsSql, [kinds])).map((row) => row.kind));
  const unknown = kinds.filter((kind) => !known.has(kind));
  if (unknown.length > 0) throw new Error(`LEASEHOLD_BULLMQ_KINDS names ${unknown.join(', ')}, which the queue does not know: leave it out, or give it a row in kind_policies`);
  for (const row of await db.query<{ kind: string; was: string }>(claimKindsSql, [kinds])) {
    logger.info({ event: 'dispatcher_set', kind: row.kind, dispatcher: 'bullmq', was: row.was }, 'BullMQ proposes from now on, for every coordinator');
  }
}
