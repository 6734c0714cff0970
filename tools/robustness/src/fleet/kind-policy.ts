import type { Pool } from 'pg';

/** Columns of the row that every coordinator goes by; see the coordinator's migrations. */
export interface KindPolicy {
  readonly lease_ms?: number;
  readonly max_run_ms?: number;
  readonly max_attempts?: number;
  readonly retry_initial_ms?: number;
  readonly retry_max_ms?: number;
  readonly retry_spread?: number;
  readonly release_initial_ms?: number;
}

/** Short enough to wait for, long enough for a heartbeat on a busy machine. Workers learn it when they register. */
export const shortPolicy = Object.freeze({
  lease_ms: 3_000, max_run_ms: 60_000, max_attempts: 3, retry_initial_ms: 200, retry_max_ms: 1_000, retry_spread: 0.25, release_initial_ms: 50,
}) satisfies KindPolicy;

/** For what must not run out while a test looks at it. */
export const longPolicy = Object.freeze({ ...shortPolicy, lease_ms: 60_000, max_run_ms: 120_000 }) satisfies KindPolicy;

/** Sets the policy of both kinds. */
export async function setPolicy(queue: Pool, policy: KindPolicy): Promise<void> {
  const row = { ...shortPolicy, ...policy };
  await queue.query(
    `update kind_policies set lease_ms = $1, max_run_ms = $2, max_attempts = $3, retry_initial_ms = $4, retry_max_ms = $5, retry_spread = $6, release_initial_ms = $7
     where kind in ('image', 'import')`,
    [row.lease_ms, row.max_run_ms, row.max_attempts, row.retry_initial_ms, row.retry_max_ms, row.retry_spread, row.release_initial_ms],
  );
}
