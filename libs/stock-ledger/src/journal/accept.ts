import { sql, type Transaction } from '@leasehold/postgres';
import type { ImportId, ImportLayout, ImportMode, ImportRecord, ImportSource } from './import-record.js';
import { findHealed, one } from './rows.js';

const statements = { accept: sql(import.meta.url, 'accept'), reopen: sql(import.meta.url, 'reopen'), forget: sql(import.meta.url, 'forget') };

export interface Submission extends ImportId {
  readonly source: ImportSource;
  /** As declared; empty: found in the file. */
  readonly charset: string;
  /** ATOMIC where it is left out. */
  readonly mode?: ImportMode;
  /** SINGLE where it is left out. */
  readonly layout?: ImportLayout;
  /** Of the logical content, mode and layout included, 32 bytes: what makes a second submission the same one. */
  readonly contentDigest: Uint8Array;
}

/**
 * - accepted: the id was free.
 * - reopened: it was REJECTED, or its idempotency term is over: ACCEPTED under a new generation, with the content of this submission.
 * - same: the import of this id has this content; it is answered as it is by now, whatever its state.
 * - conflict: it has another content and is ACCEPTED, APPLIED or CANCELLED.
 */
export type AcceptVerdict = 'accepted' | 'reopened' | 'same' | 'conflict';

export async function accept(db: Transaction, s: Submission): Promise<{ verdict: AcceptVerdict; import: ImportRecord }> {
  const values = [s.namespace, s.importId, s.source.key, s.source.versionId, s.source.sizeBytes, s.source.sha256, s.charset, s.contentDigest, s.mode ?? 'atomic', s.layout ?? 'single'];
  // More than one pass only where another call or a duty changes the row between these statements.
  for (let pass = 1; pass <= 10; pass++) {
    const accepted = await one(db, statements.accept, values);
    if (accepted !== undefined) return { verdict: 'accepted', import: accepted };
    const known = await findHealed(db, s);
    if (known === undefined) continue;
    const same = Buffer.compare(known.contentDigest, s.contentDigest) === 0;
    if (known.state === 'rejected' ? same : known.idempotencyExpireTime === undefined || known.state !== 'applied') return { verdict: same ? 'same' : 'conflict', import: known };
    // Whether the term is over, the database's clock says.
    if (known.state === 'applied') await db.query(statements.forget, [s.namespace, s.importId]);
    const reopened = await one(db, statements.reopen, values);
    if (reopened !== undefined) return { verdict: 'reopened', import: reopened };
    if (known.state === 'applied') return { verdict: same ? 'same' : 'conflict', import: known };
  }
  throw new Error(`import ${s.namespace}/${s.importId} changes faster than it can be read`);
}
