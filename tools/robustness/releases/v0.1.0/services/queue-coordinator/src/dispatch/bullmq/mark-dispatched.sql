-- Notes that a dispatcher has jobs. By enqueue, so that the mark of an earlier one never hits a later one of the same id.
-- $1 enqueue ids bigint[]. Result: the enqueue ids marked now. Called by dispatch/bullmq/relay.ts alone.
with held as materialized (
  select j.enqueue_id from jobs j where j.enqueue_id = any ($1::bigint[]) and j.dispatched_at is null order by j.enqueue_id for update
)
update jobs j set dispatched_at = now() from held where j.enqueue_id = held.enqueue_id and j.dispatched_at is null
returning j.enqueue_id
