-- The heartbeat: extends leases that still hold, never beyond max_run, and notes progress.
-- $1 enqueue ids bigint[] · $2 tokens bytea[] · $3 percents int[] (-1: leave) · $4 stages text[] · $5 items bigint[] · $6 bytes bigint[] · $7 bytes in all bigint[]. Result: one row per lease extended. Called by leases/extend.ts alone.
-- A lease past its time that nobody voided yet still holds: only the expire duty, a cancel or max_run end it.
with held as materialized (
  select j.enqueue_id
  from jobs j
  where j.enqueue_id = any ($1::bigint[])
  order by j.enqueue_id
  for update
)
update jobs j
set expires_at = least(clock_timestamp() + p.lease_ms * interval '1 millisecond', j.run_ends_at),
    progress_percent = case when a.percent >= 0 then a.percent else j.progress_percent end,
    progress_stage = case when a.percent >= 0 then a.stage else j.progress_stage end,
    progress_items = case when a.percent >= 0 then a.items else j.progress_items end,
    progress_bytes = case when a.percent >= 0 then a.bytes else j.progress_bytes end,
    progress_bytes_total = case when a.percent >= 0 then a.bytes_total else j.progress_bytes_total end
from held
join unnest($1::bigint[], $2::bytea[], $3::int[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])
  as a (enqueue_id, token, percent, stage, items, bytes, bytes_total) using (enqueue_id)
cross join kind_policies p
where j.enqueue_id = held.enqueue_id and j.lease_token = a.token and p.kind = j.kind and j.run_ends_at > clock_timestamp()
returning j.enqueue_id, j.lease_token, extract(epoch from j.expires_at - clock_timestamp())::float8 * 1000 as ttl_ms
