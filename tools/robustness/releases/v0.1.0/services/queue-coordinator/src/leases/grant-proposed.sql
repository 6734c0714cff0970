-- Grants jobs that a dispatcher proposed, by the rules of grant-next.sql: the proposal may be stale, doubled or wrong, and the row decides.
-- $1 kind text · $2 build text · $3 versions int[]; $4 enqueue ids bigint[], $5 tokens bytea[], $6 worker ids text[], $7 request numbers bigint[]: one proposal per element.
-- Result: one row per lease, with its place in the arrays as slot. A proposal without a row was refused: finished, leased, not due yet, spent, paused, not for this build, or held by
-- a transaction under way. Draws from the fence sequence. Called by leases/grant.ts alone.
with policy as materialized (
  select lease_ms, max_run_ms, max_attempts from kind_policies where kind = $1
),
offer as materialized (
  select * from unnest($4::bigint[], $5::bytea[], $6::text[], $7::bigint[]) with ordinality as o (enqueue_id, token, worker_id, request_seq, slot)
),
picked as materialized (
  select j.ctid as row_id, j.enqueue_id
  from jobs j
  where j.enqueue_id = any ($4::bigint[]) and j.state = 'queued' and j.kind = $1 and j.contract_version = any ($3::int[])
    and j.available_at <= now()
    and j.attempts < (select max_attempts from policy)
    and not ($2 = any (j.excluded_builds))
    and j.contract_version not in (select p.version from contracts p where p.kind = $1 and p.paused)
    and not exists (select from build_suspensions s where s.kind = $1 and s.version = j.contract_version and s.build = $2)
  order by j.enqueue_id
  for update of j skip locked
),
granted as (
  update jobs j
  set state = 'leased', attempts = j.attempts + 1, fence = nextval('fence_seq'), lease_token = offer.token, worker_id = offer.worker_id, build = $2,
      request_seq = offer.request_seq, granted_at = clock_timestamp(),
      expires_at = clock_timestamp() + least(policy.lease_ms, policy.max_run_ms) * interval '1 millisecond',
      run_ends_at = clock_timestamp() + policy.max_run_ms * interval '1 millisecond',
      progress_percent = 0, progress_stage = '', progress_items = 0, progress_bytes = 0, progress_bytes_total = 0,
      dispatch_token = offer.token, dispatched_at = coalesce(j.dispatched_at, now())
  from picked join offer using (enqueue_id), policy
  where j.ctid = picked.row_id and j.state = 'queued'
  returning offer.slot, j.namespace, j.job_id, j.enqueue_id, j.contract_version, j.priority, j.payload, j.fence, j.lease_token, j.attempts, policy.max_attempts,
    j.available_at, j.enqueued_at, j.granted_at, j.expires_at, j.run_ends_at
)
select slot, namespace, job_id, enqueue_id, contract_version, priority, payload, fence, lease_token, attempts, max_attempts, available_at,
  extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as ttl_ms,
  extract(epoch from run_ends_at - clock_timestamp())::float8 * 1000 as run_left_ms,
  extract(epoch from granted_at - greatest(available_at, enqueued_at))::float8 * 1000 as waited_ms
from granted
order by slot
