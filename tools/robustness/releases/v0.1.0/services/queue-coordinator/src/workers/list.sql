-- Workers that match every condition given. $1 worker id text or null · $2 build text or null · $3 kind text or null · $4 version int or null · $5 must declare it (true), must not although it declares
-- another version of the kind (false) · $6 those that are gone too bool. Result: one row per worker, by build and id. Called by workers/fleet.ts alone.
select w.worker_id, w.build, w.state, w.concurrency, w.registered_at, w.last_seen_at,
  (select count(*) from jobs j where j.worker_id = w.worker_id and j.state = 'leased')::int as leases,
  array(select format('%s@%s', c.kind, c.version) from worker_contracts c where c.worker_id = w.worker_id order by c.kind, c.version) as reads,
  array(select format('%s@%s', s.kind, s.version) from build_suspensions s join worker_contracts c on c.worker_id = w.worker_id and c.kind = s.kind and c.version = s.version
    where s.build = w.build order by s.kind, s.version) as suspended
from workers w
where ($1::text is null or w.worker_id = $1) and ($2::text is null or w.build = $2) and ($6 or w.state <> 'gone')
  and ($3::text is null or exists (select from worker_contracts c where c.worker_id = w.worker_id and c.kind = $3))
  and ($4::int is null or $5 = exists (select from worker_contracts c where c.worker_id = w.worker_id and c.kind = $3 and c.version = $4))
order by w.build, w.worker_id
