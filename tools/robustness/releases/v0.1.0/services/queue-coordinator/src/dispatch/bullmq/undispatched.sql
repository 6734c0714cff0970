-- Jobs that no dispatcher has yet, oldest first.
-- $1 kinds text[] · $2 rows at most int. Result: one row per job, with the time until it is due in ms. Called by dispatch/bullmq/relay.ts alone.
select j.enqueue_id, j.kind, j.contract_version, j.priority, greatest(extract(epoch from j.available_at - clock_timestamp()), 0)::float8 * 1000 as delay_ms
from jobs j
where j.dispatched_at is null and j.state = 'queued' and j.kind = any ($1::text[])
order by j.enqueue_id
limit $2
