-- A sign of life of a worker; gives back what never reached it; answers what the coordinator knows of it.
-- $1 worker id text · $2 answered number bigint · $3 fences held bigint[]. Result: one row unless the worker is unknown or gone: build, state, the contracts declared and suspended, the
-- highest number that it calls answered, the request numbers and fences of its leases as they were before, and the jobs given back. Called by workers/attend.ts alone.
--
-- A lease is undelivered when the first call that calls its acquire answered does not list it: then its reply was lost, and the attempt is given back with it (it counts as no hand-back). A lease that was
-- listed once and is not any more is none of these: the worker let it go, and it ends by expiry with its attempt spent. Advancing the number and giving back are one statement, so that neither
-- happens alone.
with before as materialized (
  select worker_id, build, state, answered_seq from workers where worker_id = $1 and state <> 'gone' for update
),
seen as (
  update workers w set last_seen_at = now(), answered_seq = greatest(w.answered_seq, $2)
  from before where w.worker_id = before.worker_id
),
undelivered as materialized (
  select j.enqueue_id, j.fence, j.lease_token
  from jobs j join before on j.worker_id = before.worker_id
  where j.state = 'leased' and j.request_seq > before.answered_seq and j.request_seq <= $2 and not (j.fence = any ($3::bigint[]))
  order by j.enqueue_id
  for update of j
),
given_back as (
  update jobs j
  set state = 'queued', attempts = j.attempts - 1, available_at = now(), lease_token = null, worker_id = null, build = null, request_seq = null,
      granted_at = null, expires_at = null, run_ends_at = null
  from undelivered u
  where j.enqueue_id = u.enqueue_id and j.fence = u.fence and j.worker_id = $1
  returning j.kind, j.contract_version, j.enqueue_id, j.fence, u.lease_token
)
select before.build, before.state, greatest(before.answered_seq, $2) as answered_seq,
  array(select c.kind || '@' || c.version from worker_contracts c where c.worker_id = before.worker_id) as declared,
  array(select s.kind || '@' || s.version from build_suspensions s where s.build = before.build) as suspended,
  array(select j.fence from jobs j where j.worker_id = before.worker_id and j.state = 'leased' order by j.fence) as fences,
  array(select j.request_seq from jobs j where j.worker_id = before.worker_id and j.state = 'leased' order by j.fence) as request_seqs,
  array(select g.kind from given_back g order by g.fence) as given_back_kinds,
  array(select g.enqueue_id from given_back g order by g.fence) as given_back_enqueues,
  array(select g.fence from given_back g order by g.fence) as given_back_fences,
  array(select g.contract_version from given_back g order by g.fence) as given_back_versions,
  array(select g.lease_token from given_back g order by g.fence) as given_back_tokens
from before
