-- A page of the queued jobs of a contract that BullMQ should have, in the order of the claim index.
-- $1 kind text · $2 version int · $3 priority int, $4 available_at timestamptz, $5 enqueue id bigint: after this row · $6 rows at most int. Result: one row per job: when it is due (delay_ms), or since when (overdue_ms). Called by dispatch/bullmq/rows.ts alone.
select j.enqueue_id, j.kind, j.contract_version, j.priority, j.dispatch_token,
  greatest(extract(epoch from j.available_at - clock_timestamp()), 0)::float8 * 1000 as delay_ms,
  greatest(extract(epoch from clock_timestamp() - j.available_at), 0)::float8 * 1000 as overdue_ms, j.available_at
from jobs j
where j.state = 'queued' and j.kind = $1 and j.contract_version = $2 and (j.priority, j.available_at, j.enqueue_id) > ($3::smallint, $4::timestamptz, $5::bigint)
  and j.dispatched_at is not null
order by j.priority, j.available_at, j.enqueue_id
limit $6
