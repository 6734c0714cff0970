import { sql, type Database, type Transaction } from '@leasehold/postgres';
import { contractWord, type Contract, type ContractName, type ContractState } from './contract.js';

const findSql = sql(import.meta.url, 'find');
const announceSql = sql(import.meta.url, 'announce');
const auditSql = sql(import.meta.url, 'audit');

interface ContractRow {
  readonly kind: string;
  readonly version: number;
  readonly state: ContractState;
  readonly descriptor_digest: Buffer;
  readonly paused: boolean;
  readonly share_percent: number;
  readonly revision: bigint;
  readonly announced_at: Date;
  readonly updated_at: Date;
}

/** All contracts of a kind, or of all kinds, by kind and version. */
export async function findContracts(db: Database | Transaction, kind?: string): Promise<Contract[]> {
  const rows = await db.query<ContractRow>(findSql, [kind ?? null]);
  return rows.map((row) => ({
    kind: row.kind,
    version: row.version,
    state: row.state,
    descriptorDigest: row.descriptor_digest,
    paused: row.paused,
    sharePercent: row.share_percent,
    revision: row.revision,
    announcedAt: row.announced_at,
    updatedAt: row.updated_at,
  }));
}

/** Who changed what, and why. */
export interface Audit {
  readonly actor: string;
  /** For programs, in snake_case. */
  readonly action: string;
  readonly subjects: readonly string[];
  readonly detail: string;
  readonly forced?: boolean;
}

/** Writes it down; in the transaction of what it tells of, so that neither is without the other. */
export async function audit(tx: Database | Transaction, { actor, action, subjects, detail, forced = false }: Audit): Promise<void> {
  await tx.query(auditSql, [actor, action, subjects, detail, forced]);
}

export type Announcement =
  | { readonly verdict: 'announced' | 'exists'; readonly contract: Contract }
  /** Announced before with other content. */
  | { readonly verdict: 'conflict'; readonly contract: Contract }
  | { readonly verdict: 'kind_unknown' };

/** Makes a version known. Repeating it with the same digest changes nothing; another digest is refused, as a version is never redefined. */
export async function announceContract(db: Database, name: ContractName, digest: Buffer, actor: string): Promise<Announcement> {
  return db.transaction(async (tx) => {
    const made = await tx.query(announceSql, [name.kind, name.version, digest]);
    if (made.length > 0) await audit(tx, { actor, action: 'contract_announced', subjects: [contractWord(name)], detail: `digest ${digest.toString('hex')}` });
    const contract = (await findContracts(tx, name.kind)).find(({ version }) => version === name.version);
    if (contract === undefined) return { verdict: 'kind_unknown' };
    if (made.length > 0) return { verdict: 'announced', contract };
    return { verdict: contract.descriptorDigest.equals(digest) ? 'exists' : 'conflict', contract };
  });
}
