import { sql, type Database } from '@leasehold/postgres';
import type { Readiness } from '@leasehold/service';

const knownFenceSql = sql(import.meta.url, 'known-fence');

interface KnownFenceRow {
  readonly sequence: bigint;
  readonly known: bigint;
  readonly cache_size: bigint;
  readonly synchronous_commit: string;
  readonly fsync: string;
}

/**
 * Whether fences can be trusted to rise: a sequence behind a fence that is known (a restore that missed it) or with a cache, or a cluster
 * that may forget a commit it has answered, would hand out a fence twice.
 */
export async function checkFences(db: Database): Promise<Readiness> {
  const name = 'fences';
  const [row] = await db.query<KnownFenceRow>(knownFenceSql, []);
  if (row === undefined) return { name, ok: false, detail: 'the fence sequence cannot be read' };
  if (row.sequence < row.known) return { name, ok: false, detail: `the fence sequence (${row.sequence}) is behind a known fence (${row.known}): run "select advance_fence_seq()" in the queue database` };
  if (row.cache_size !== 1n) return { name, ok: false, detail: `the fence sequence has CACHE ${row.cache_size}: run "alter sequence fence_seq cache 1" in the queue database` };
  if (row.synchronous_commit === 'off') return { name, ok: false, detail: 'synchronous_commit is off: a crash could take back a grant that was answered; set it to on' };
  return { name, ok: true };
}
