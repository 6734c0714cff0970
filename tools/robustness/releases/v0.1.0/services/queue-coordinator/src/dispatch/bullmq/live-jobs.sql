-- Which enqueues are still live, read after the dispatcher's memory: a record without a live row is of a job that is over.
-- $1 enqueue ids bigint[]. Result: one row per live one, with its state and the time in ms until it is due, or until its lease runs out. Called by dispatch/bullmq/live-jobs.ts alone.
select j.enqueue_id, j.state,
  greatest(extract(epoch from (case when j.state = 'leased' then j.expires_at else j.available_at end) - clock_timestamp()), 0)::float8 * 1000 as wait_ms
from jobs j
where j.enqueue_id = any ($1::bigint[])
