-- Ends live jobs of a contract as CANCELLED at an operator's word, oldest first, whoever holds them, each under a fence above its holder's; the producers hear of it.
-- $1 kind text · $2 version int · $3 rows at most int · $4 actor text · $5 reason text. Result: one row per job ended.
-- Draws from the fence sequence. Rows are locked in the order of their ids, as every statement over several jobs does. Called by jobs/discard.ts alone.
with chosen as materialized (
  select j.enqueue_id from jobs j where j.kind = $1 and j.contract_version = $2 order by j.enqueue_id limit $3 for update of j
),
ended as (
  delete from jobs j using chosen c where j.enqueue_id = c.enqueue_id returning j.*
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
  select now(), 'job_discarded', namespace, kind, job_id, enqueue_id, fence, ended_fence, coalesce(worker_id, ''), format('by %s: %s', $4::text, $5::text)
  from verdict
)
select namespace, job_id, enqueue_id, ended_fence as fence, lease_token, extract(epoch from now() - enqueued_at)::float8 * 1000 as age_ms from verdict
