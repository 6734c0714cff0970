import { sql, type Database } from '@leasehold/postgres';

const listAuditSql = sql(import.meta.url, 'list-audit');

export interface AuditEntry {
  readonly auditId: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: string;
  readonly forced: boolean;
}

/** A page of what was changed by whom, newest first. */
export async function listAudit(db: Database, o: { readonly before: bigint; readonly subject: string | undefined; readonly limit: number }): Promise<AuditEntry[]> {
  const rows = await db.query<Omit<AuditEntry, 'auditId'> & { readonly audit_id: bigint }>(listAuditSql, [o.before, o.subject ?? null, o.limit]);
  return rows.map(({ audit_id: auditId, ...entry }) => ({ ...entry, auditId }));
}
