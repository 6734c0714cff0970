-- Gives back leases whose grant never reached the worker. The attempt is given back in the same statement; it counts as no hand-back.
-- $1 worker id text · $2 answered number bigint · $3 fences held bigint[]. Result: one row per job released. Called by workers/attend.ts alone.
with undelivered as materialized (
  select j.enqueue_id, j.fence
  from jobs j
  where j.worker_id = $1 and j.state = 'leased' and j.request_seq <= $2 and not (j.fence = any ($3::bigint[]))
  order by j.enqueue_id
  for update
)
update jobs j
set state = 'queued', attempts = j.attempts - 1, available_at = now(), lease_token = null, worker_id = null, build = null, request_seq = null,
    granted_at = null, expires_at = null, run_ends_at = null
from undelivered u
where j.enqueue_id = u.enqueue_id and j.fence = u.fence and j.worker_id = $1 and j.request_seq <= $2
returning j.namespace, j.kind, j.job_id, j.enqueue_id, j.fence
