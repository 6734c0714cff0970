-- A sign of life of a worker, and what the coordinator knows of it.
-- $1 worker id text · $2 answered number bigint. Result: one row unless the worker is unknown or gone: build, state, the contracts that it may take, the highest number
-- that it called answered before, and the request numbers and fences of its leases. Called by workers/attend.ts alone.
with before as (select worker_id, answered_seq from workers where worker_id = $1),
seen as (
  update workers w set last_seen_at = now(), answered_seq = greatest(w.answered_seq, $2)
  where w.worker_id = $1 and w.state <> 'gone'
  returning w.worker_id, w.build, w.state
)
select seen.build, seen.state, before.answered_seq as answered_before,
  array(select c.kind || '@' || c.version from worker_contracts c where c.worker_id = seen.worker_id) as declared,
  array(select s.kind || '@' || s.version from build_suspensions s where s.build = seen.build) as suspended,
  array(select j.fence from jobs j where j.worker_id = seen.worker_id and j.state = 'leased' order by j.fence) as fences,
  array(select j.request_seq from jobs j where j.worker_id = seen.worker_id and j.state = 'leased' order by j.fence) as request_seqs
from seen join before using (worker_id)
