-- What holds a live job up, as far as its own row says. $1 namespace text · $2 kind text · $3 job id text. Result: one row unless it is finished. Called by jobs/explain.ts alone.
select j.excluded_builds, extract(epoch from j.available_at - now())::float8 * 1000 as due_in_ms, j.dispatched_at is null and p.dispatcher <> 'postgres' as undispatched, j.granted_at
from jobs j join kind_policies p on p.kind = j.kind
where j.namespace = $1 and j.kind = $2 and j.job_id = $3
