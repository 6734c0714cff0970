-- Ends a live job as CANCELLED, whoever holds it, under a fence above the holder's.
-- $1 namespace text · $2 kind text · $3 job id text · $4 the enqueue meant bigint, 0 for whichever it is. Result: one row when the job was ended now.
-- Draws from the fence sequence. Called by jobs/cancel.ts alone.
with ended as (
  delete from jobs j
  where j.namespace = $1 and j.kind = $2 and j.job_id = $3 and ($4::bigint = 0 or j.enqueue_id = $4)
  returning j.*
),
verdict as materialized (
  select e.*, nextval('fence_seq') as ended_fence, coalesce(p.failed_retention_ms, p.retention_ms, 86400000) as retention_ms
  from ended e left join kind_policies p on p.kind = e.kind
),
finished as (
  insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at,
    prune_at, attempts, reason, last_reason, result, fence, build)
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'cancelled', enqueued_at, available_at, now(),
    now() + retention_ms * interval '1 millisecond', attempts, '', last_reason, '', ended_fence, coalesce(build, '')
  from verdict
),
announced as (
  insert into outcomes (enqueue_id, namespace, kind, job_id, contract_version, state, reason, last_reason, result, fence, attempts, finished_at, build, offer_at)
  select enqueue_id, namespace, kind, job_id, contract_version, 'cancelled', '', last_reason, '', ended_fence, attempts, now(), coalesce(build, ''), now()
  from verdict
),
journal as (
  insert into job_events (at, event, namespace, kind, job_id, enqueue_id, fence, current_fence, worker_id, detail)
  select now(), 'job_cancelled', namespace, kind, job_id, enqueue_id, fence, ended_fence, coalesce(worker_id, ''), state
  from verdict
)
select enqueue_id, contract_version, ended_fence as fence, state as was_state, lease_token, extract(epoch from now() - enqueued_at)::float8 * 1000 as age_ms from verdict
