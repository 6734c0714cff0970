-- Ends queued jobs that have no attempt left, which happens when a kind's max_attempts is lowered: nothing may grant them again.
-- $1 rows at most int. Result: one row per job ended. Draws from the fence sequence. Safe in any number of coordinators at once. Called by jobs/exhaust.ts alone.
with spent as materialized (
  select j.enqueue_id, coalesce(p.failed_retention_ms, p.retention_ms) as retention_ms
  from jobs j join kind_policies p on p.kind = j.kind
  where j.state = 'queued' and j.attempts >= p.max_attempts
  limit $1
  for update of j skip locked
),
ended as (
  delete from jobs j using spent s where j.enqueue_id = s.enqueue_id and j.state = 'queued'
  returning j.*, s.retention_ms
),
verdict as materialized (select e.*, nextval('fence_seq') as ended_fence from ended e),
finished as (
  insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at,
    prune_at, attempts, reason, last_reason, result, fence, build)
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'failed', enqueued_at, available_at, now(),
    now() + retention_ms * interval '1 millisecond', attempts, 'EXHAUSTED', last_reason, '', ended_fence, ''
  from verdict
),
announced as (
  insert into outcomes (enqueue_id, namespace, kind, job_id, contract_version, state, reason, last_reason, result, fence, attempts, finished_at, build, offer_at)
  select enqueue_id, namespace, kind, job_id, contract_version, 'failed', 'EXHAUSTED', last_reason, '', ended_fence, attempts, now(), '', now()
  from verdict
)
select namespace, kind, job_id, enqueue_id, contract_version, ended_fence as fence, extract(epoch from now() - enqueued_at)::float8 * 1000 as age_ms from verdict
