-- Records a worker and what it reads; a repeat refreshes both. A worker that was judged gone is not revived: it must come back under a fresh id. The id stays
-- whoever's that registered it first; a caller on this machine (local) may refresh it.
-- $1 worker id text · $2 build text · $3 concurrency int · $4 kinds text[] · $5 versions int[] · $6 identity text. Result: one row with the worker's state; none when the id is somebody else's. Called by workers/register.ts alone.
with worker as (
  insert into workers (worker_id, build, concurrency, state, registered_at, last_seen_at, identity)
  values ($1, $2, $3, 'active', now(), now(), $6)
  on conflict (worker_id) do update set build = excluded.build, concurrency = excluded.concurrency, last_seen_at = now()
    where workers.identity = excluded.identity or excluded.identity = 'local'
  returning worker_id, state
),
declared as (
  insert into worker_contracts (worker_id, kind, version)
  select distinct worker.worker_id, c.kind, c.version from worker, unnest($4::text[], $5::int[]) as c (kind, version)
  on conflict do nothing
)
select worker.state from worker
