-- Voids leases past their time: back into the queue while attempts are left, else the job ends as EXHAUSTED under a fence of its own.
-- $1 rows at most int. Result: one row per lease voided. Draws from the fence sequence. Safe in any number of coordinators at once.
-- Called by leases/expire.ts alone. The writes repeat the condition: a heartbeat may have come between.
with due as materialized (
  select j.enqueue_id, j.namespace, j.kind, j.job_id, j.contract_version, j.priority, j.content_digest, j.enqueued_at, j.available_at, j.attempts, j.last_reason,
    j.fence, j.lease_token, j.worker_id, j.build, coalesce(p.max_attempts, 3) as max_attempts, coalesce(p.failed_retention_ms, p.retention_ms, 86400000) as retention_ms
  from jobs j left join kind_policies p on p.kind = j.kind
  where j.state = 'leased' and j.expires_at <= clock_timestamp()
  order by j.expires_at
  limit $1
  for update of j skip locked
),
ended as (
  delete from jobs j using due d
  where j.enqueue_id = d.enqueue_id and j.lease_token = d.lease_token and j.expires_at <= clock_timestamp() and d.attempts >= d.max_attempts
  returning j.enqueue_id
),
requeued as (
  update jobs j
  set state = 'queued', available_at = now(), lease_token = null, worker_id = null, build = null, request_seq = null, granted_at = null, expires_at = null,
      run_ends_at = null
  from due d
  where j.enqueue_id = d.enqueue_id and j.lease_token = d.lease_token and j.expires_at <= clock_timestamp() and d.attempts < d.max_attempts
  returning j.enqueue_id
),
verdict as materialized (
  select d.*, nextval('fence_seq') as ended_fence from due d join ended using (enqueue_id)
),
finished as (
  insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at,
    prune_at, attempts, reason, last_reason, result, fence, build)
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'failed', enqueued_at, available_at, now(),
    now() + retention_ms * interval '1 millisecond', attempts, 'EXHAUSTED', last_reason, '', ended_fence, build
  from verdict
),
announced as (
  insert into outcomes (enqueue_id, namespace, kind, job_id, contract_version, state, reason, last_reason, result, fence, attempts, finished_at, build, offer_at)
  select enqueue_id, namespace, kind, job_id, contract_version, 'failed', 'EXHAUSTED', last_reason, '', ended_fence, attempts, now(), build, now()
  from verdict
),
voided as (
  select d.namespace, d.kind, d.job_id, d.enqueue_id, d.contract_version, d.fence, d.attempts, d.worker_id, d.build, d.lease_token, coalesce(v.ended_fence, 0)::bigint as ended_fence,
    extract(epoch from now() - d.enqueued_at)::float8 * 1000 as age_ms
  from due d left join verdict v using (enqueue_id)
  where v.enqueue_id is not null or exists (select from requeued r where r.enqueue_id = d.enqueue_id)
),
journal as (
  insert into job_events (at, event, namespace, kind, job_id, enqueue_id, fence, current_fence, worker_id, detail)
  select now(), 'lease_expired', namespace, kind, job_id, enqueue_id, fence, ended_fence, worker_id, case when ended_fence > 0 then 'exhausted' else 'requeued' end
  from voided
)
select * from voided
