-- The limit that PostgreSQL sets on this schema: what a settlement and the next grant must write, in one statement, without any protocol around it.
-- $1 enqueue ids bigint[] · $2 tokens bytea[]: complete these · $3 new tokens bytea[]: grant as many. Result: enqueue id and token of each grant.
with held as materialized (
  select j.* from jobs j join unnest($1::bigint[], $2::bytea[]) as a (enqueue_id, token) on j.enqueue_id = a.enqueue_id and j.lease_token = a.token
  order by j.enqueue_id for update of j
),
ended as (
  delete from jobs j using held h where j.enqueue_id = h.enqueue_id and j.lease_token = h.lease_token returning j.enqueue_id
),
finished as (
  insert into finished_jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at, finished_at, prune_at, attempts, reason, last_reason, result, fence, build)
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, 'succeeded', enqueued_at, available_at, now(), now() + interval '1 day', attempts, '', '', '', fence, build from held
),
announced as (
  insert into outcomes (enqueue_id, namespace, kind, job_id, contract_version, state, reason, last_reason, result, fence, attempts, finished_at, build, offer_at)
  select enqueue_id, namespace, kind, job_id, contract_version, 'succeeded', '', '', '', fence, attempts, now(), build, now() from held
),
remembered as (
  insert into settlements (lease_token, digest, enqueue_id, settled_at) select lease_token, '', enqueue_id, now() from held
),
picked as materialized (
  select j.ctid as row_id, row_number() over () as slot from (
    select j.ctid from jobs j
    where j.state = 'queued' and j.kind = 'image' and j.contract_version = 1 and j.priority = 0 and j.available_at <= now()
    order by j.available_at, j.enqueue_id limit cardinality($3::bytea[]) for update skip locked
  ) j
)
update jobs j
set state = 'leased', attempts = j.attempts + 1, fence = nextval('fence_seq'), lease_token = slot.token, worker_id = 'bench', build = 'bench', request_seq = 1,
    granted_at = now(), expires_at = now() + interval '2 minutes', run_ends_at = now() + interval '10 minutes'
from picked join unnest($3::bytea[]) with ordinality as slot (token, slot) on slot.slot = picked.slot
where j.ctid = picked.row_id and j.state = 'queued'
returning j.enqueue_id, j.lease_token
