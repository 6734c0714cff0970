-- Proposes and grants in one statement: the oldest due jobs of a kind within their priority, one per slot offered.
-- $1 kind text · $2 build text · $3 versions int[], $4 priorities int[], $5 floors timestamptz[]: one class per element;
-- $6 tokens bytea[], $7 worker ids text[], $8 request numbers bigint[]: one slot per element.
-- Result: one row per lease in claim order, with its slot. Fewer rows than slots: fewer jobs were due, or others hold them.
-- Draws from the fence sequence. Called by leases/grant.ts alone.
--
-- Rows are found by ctid: the join back by key would cost a second index descent per job. SKIP LOCKED, so that a busy first row
-- never holds up the next. A floor keeps the scan from walking over the dead rows of jobs that were granted before. A paused contract is left out
-- here and in grant-proposed.sql: its jobs wait, whatever proposes them.
with policy as materialized (
  select lease_ms, max_run_ms, max_attempts from kind_policies where kind = $1
),
candidate as (
  select due.row_id, class.priority, due.available_at, due.enqueue_id
  from (
    select a.version, a.priority, a.floor from unnest($3::int[], $4::int[], $5::timestamptz[]) as a (version, priority, floor)
    where a.version not in (select p.version from contracts p where p.kind = $1 and p.paused)
  ) as class
  cross join lateral (
    select j.ctid as row_id, j.available_at, j.enqueue_id
    from jobs j
    where j.state = 'queued' and j.kind = $1 and j.contract_version = class.version and j.priority = class.priority
      and j.available_at >= class.floor and j.available_at <= now()
      and j.attempts < (select max_attempts from policy)
      and not ($2 = any (j.excluded_builds))
    order by j.available_at, j.enqueue_id
    limit cardinality($6::bytea[])
    for update of j skip locked
  ) due
),
picked as materialized (
  select row_id, row_number() over (order by priority desc, available_at, enqueue_id) as slot
  from candidate
  order by slot
  limit cardinality($6::bytea[])
),
offer as materialized (
  select picked.row_id, slot.slot, slot.token, slot.worker_id, slot.request_seq
  from picked
  join unnest($6::bytea[], $7::text[], $8::bigint[]) with ordinality as slot (token, worker_id, request_seq, slot) on slot.slot = picked.slot
),
granted as (
  update jobs j
  set state = 'leased', attempts = j.attempts + 1, fence = nextval('fence_seq'), lease_token = offer.token, worker_id = offer.worker_id, build = $2,
      request_seq = offer.request_seq, granted_at = clock_timestamp(),
      expires_at = clock_timestamp() + least(policy.lease_ms, policy.max_run_ms) * interval '1 millisecond',
      run_ends_at = clock_timestamp() + policy.max_run_ms * interval '1 millisecond',
      progress_percent = 0, progress_stage = '', progress_items = 0, progress_bytes = 0, progress_bytes_total = 0
  from offer, policy
  where j.ctid = offer.row_id and j.state = 'queued'
  returning offer.slot, j.namespace, j.job_id, j.enqueue_id, j.contract_version, j.priority, j.payload, j.fence, j.lease_token, j.attempts, policy.max_attempts,
    j.available_at, j.enqueued_at, j.granted_at, j.expires_at, j.run_ends_at
)
select slot, namespace, job_id, enqueue_id, contract_version, priority, payload, fence, lease_token, attempts, max_attempts, available_at,
  extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as ttl_ms,
  extract(epoch from run_ends_at - clock_timestamp())::float8 * 1000 as run_left_ms,
  extract(epoch from granted_at - greatest(available_at, enqueued_at))::float8 * 1000 as waited_ms
from granted
order by slot
