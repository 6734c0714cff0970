-- Jobs by name, live and finished in one statement.
-- $1 namespaces text[] · $2 kinds text[] · $3 job ids text[]. Result: one row per job found, with its place in the arrays; a live job before a finished one.
select distinct on (a.place) a.place, r.*, coalesce(p.max_attempts, 0) as max_attempts
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as a (namespace, kind, job_id, place)
join job_records r on r.namespace = a.namespace and r.kind = a.kind and r.job_id = a.job_id
left join kind_policies p on p.kind = r.kind
order by a.place, r.enqueue_id desc
