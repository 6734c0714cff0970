-- One page of jobs of a kind, newest enqueue first, live and finished in one statement.
-- $1 kind text · $2 namespace text or null · $3 only enqueue ids below this bigint · $4 states text[], empty for all · $5 rows at most int.
select r.*, coalesce(p.max_attempts, 0) as max_attempts
from job_records r left join kind_policies p on p.kind = r.kind
where r.kind = $1 and ($2::text is null or r.namespace = $2) and r.enqueue_id < $3::bigint and (cardinality($4::text[]) = 0 or r.state = any ($4::text[]))
order by r.enqueue_id desc
limit $5
