-- What became of settlements that settle.sql did not accept, read with a fresh snapshot: the first of two equal calls may have committed
-- while this one waited for its row.
-- $1 enqueue ids bigint[] · $2 tokens bytea[] · $3 digests bytea[]. Result: one row per settlement, by its place: verdict settled, lost or unknown, and the
-- fence that stands over the job. Called by leases/settle.ts alone.
select a.place,
  case
    when s.digest = a.digest then 'settled'
    when s.digest is not null or j.enqueue_id is not null then 'lost'
    else 'unknown'
  end as verdict,
  coalesce(j.fence, 0)::bigint as current_fence,
  coalesce(j.namespace, '') as namespace, coalesce(j.kind, '') as kind, coalesce(j.job_id, '') as job_id, coalesce(j.contract_version, 0) as contract_version
from unnest($1::bigint[], $2::bytea[], $3::bytea[]) with ordinality as a (enqueue_id, token, digest, place)
left join settlements s on s.lease_token = a.token
left join lateral (
  select r.enqueue_id, r.fence, r.namespace, r.kind, r.job_id, r.contract_version from job_records r where r.enqueue_id = a.enqueue_id limit 1
) j on true
order by a.place
