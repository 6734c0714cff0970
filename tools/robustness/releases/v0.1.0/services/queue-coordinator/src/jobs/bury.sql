-- Turns a reserved name into a tombstone: an enqueue that is still under way finds the job CANCELLED. Nobody waits for its outcome, so none is announced.
-- $1 enqueue id bigint. Result: one row, unless the name was finished meanwhile (then the reservation alone is removed). Called by jobs/cancel.ts alone.
with reserved as (
  delete from jobs j where j.enqueue_id = $1 and j.available_at = 'infinity'
  returning j.namespace, j.kind, j.job_id, j.enqueue_id
)
insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at,
  prune_at, attempts, reason, last_reason, result, fence, build)
select r.namespace, r.kind, r.job_id, r.enqueue_id, 0, 0, '', 'cancelled', now(), now(), now(),
  now() + coalesce(p.failed_retention_ms, p.retention_ms, 86400000) * interval '1 millisecond', 0, '', '', '', r.enqueue_id, ''
from reserved r left join kind_policies p on p.kind = r.kind
where not exists (select from finished_jobs f where f.namespace = r.namespace and f.kind = r.kind and f.job_id = r.job_id)
returning enqueue_id
