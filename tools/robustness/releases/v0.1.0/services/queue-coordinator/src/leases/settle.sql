-- Ends leases: the only way in which a holder's word becomes official.
-- $1 enqueue ids bigint[] · $2 tokens bytea[] · $3 verbs text[] (complete, fail, release) · $4 content faults bool[] · $5 reasons text[] · $6 results bytea[]
-- · $7 digests bytea[] · $8 unreadable bool[]. Result: one row per settlement that was accepted now, by its place in the arrays. Zero rows: the right was
-- lost, or it was settled before. Called by leases/settle.ts alone.
--
-- Rows are locked first, in id order, so that batches cannot deadlock. The writes find them by enqueue_id and token (a row has a token only while it
-- is leased): a condition on the state would tempt the planner into a partial index that it believes to be empty.
with asked as materialized (
  select * from unnest($1::bigint[], $2::bytea[], $3::text[], $4::bool[], $5::text[], $6::bytea[], $7::bytea[], $8::bool[])
    with ordinality as a (enqueue_id, token, verb, content_fault, reason, result, digest, unreadable, place)
),
locked as materialized (
  select j.enqueue_id, j.namespace, j.kind, j.job_id, j.contract_version, j.priority, j.content_digest, j.state, j.enqueued_at, j.available_at, j.attempts,
    j.releases, j.last_reason, j.fence, j.lease_token, j.worker_id, j.build, j.granted_at
  from jobs j
  where j.enqueue_id = any ($1::bigint[])
  order by j.enqueue_id
  for update
),
-- Of two settlements of one lease in one batch the first counts; the other is judged as a repeat afterwards.
held as materialized (
  select distinct on (l.enqueue_id) l.*, a.token, a.verb, a.reason as said, a.result, a.digest, a.unreadable, a.place, p.max_attempts, p.retention_ms, coalesce(p.failed_retention_ms, p.retention_ms) as failed_retention_ms,
    a.verb = 'release' and l.releases < p.max_free_releases as free,
    case
      when a.verb = 'complete' then 'succeeded'
      when a.verb = 'fail' and (a.content_fault or l.attempts >= p.max_attempts) then 'failed'
      when a.verb = 'release' and l.releases >= p.max_free_releases and l.attempts >= p.max_attempts then 'failed'
      else 'queued'
    end as next_state,
    case
      when a.verb = 'fail' and a.content_fault then a.reason
      when a.verb <> 'complete' then 'EXHAUSTED'
      else ''
    end as final_reason,
    case a.verb
      when 'fail' then least(p.retry_initial_ms * power(p.retry_factor, l.attempts - 1), p.retry_max_ms) * (1 + random() * p.retry_spread)
      else p.release_initial_ms * power(2, least(l.releases, 20))
    end as delay_ms
  from asked a
  join locked l on l.enqueue_id = a.enqueue_id and l.state = 'leased' and l.lease_token = a.token
  join kind_policies p on p.kind = l.kind
  order by l.enqueue_id, a.place
),
ended as (
  delete from jobs j using held h
  where j.enqueue_id = h.enqueue_id and j.lease_token = h.token and h.next_state <> 'queued'
  returning j.enqueue_id
),
requeued as (
  update jobs j
  set state = 'queued', attempts = j.attempts - h.free::int, releases = j.releases + (h.verb = 'release')::int,
      available_at = now() + h.delay_ms * interval '1 millisecond',
      last_reason = case when h.verb = 'fail' then h.said else j.last_reason end,
      excluded_builds = case when h.unreadable and not (h.build = any (j.excluded_builds)) then j.excluded_builds || h.build else j.excluded_builds end,
      lease_token = null, worker_id = null, build = null, request_seq = null, granted_at = null, expires_at = null, run_ends_at = null
  from held h
  where j.enqueue_id = h.enqueue_id and j.lease_token = h.token and h.next_state = 'queued'
  returning j.enqueue_id
),
finished as (
  insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at,
    prune_at, attempts, reason, last_reason, result, fence, build)
  select h.namespace, h.kind, h.job_id, h.enqueue_id, h.contract_version, h.priority, h.content_digest, h.next_state, h.enqueued_at, h.available_at, now(),
    now() + case h.next_state when 'succeeded' then h.retention_ms else h.failed_retention_ms end * interval '1 millisecond', h.attempts, h.final_reason, case when h.verb = 'fail' then h.said else h.last_reason end,
    case when h.verb = 'complete' then h.result else '' end, h.fence, h.build
  from held h join ended using (enqueue_id)
),
announced as (
  insert into outcomes (enqueue_id, namespace, kind, job_id, contract_version, state, reason, last_reason, result, fence, attempts, finished_at, build, offer_at)
  select h.enqueue_id, h.namespace, h.kind, h.job_id, h.contract_version, h.next_state, h.final_reason, case when h.verb = 'fail' then h.said else h.last_reason end,
    case when h.verb = 'complete' then h.result else '' end, h.fence, h.attempts, now(), h.build, now()
  from held h join ended using (enqueue_id)
),
remembered as (
  insert into settlements (lease_token, digest, enqueue_id, settled_at)
  select h.token, h.digest, h.enqueue_id, now() from held h
),
journal as (
  insert into job_events (at, event, namespace, kind, job_id, enqueue_id, fence, current_fence, worker_id, detail)
  select now(), case h.verb when 'fail' then 'attempt_failed' else 'lease_released' end, h.namespace, h.kind, h.job_id, h.enqueue_id, h.fence, h.fence, coalesce(h.worker_id, ''),
    case when h.verb = 'fail' then h.said when h.unreadable then format('%s cannot read %s@%s', h.build, h.kind, h.contract_version) else 'handed back' end
  from held h where h.verb <> 'complete'
),
reported as (
  insert into unreadable_reports (kind, version, build, enqueue_id, reported_at)
  select h.kind, h.contract_version, h.build, h.enqueue_id, now() from held h where h.unreadable
  on conflict do nothing
)
select h.place, h.namespace, h.kind, h.job_id, h.enqueue_id, h.contract_version, h.fence, h.verb, h.next_state, h.final_reason, h.said, h.attempts - h.free::int as attempts, h.build, h.unreadable, h.delay_ms::float8 as delay_ms,
  extract(epoch from now() - h.enqueued_at)::float8 * 1000 as age_ms, extract(epoch from now() - h.granted_at)::float8 * 1000 as run_ms
from held h
