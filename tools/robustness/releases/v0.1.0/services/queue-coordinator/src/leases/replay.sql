-- The leases that an earlier acquire with the same number granted and that still hold, for a caller that never heard the answer.
-- $1 worker id text · $2 request number bigint · $3 kind text. Result as grant-next.sql; ttl and run_left are what is left now.
select 0::bigint as slot, j.namespace, j.job_id, j.enqueue_id, j.contract_version, j.priority, j.payload, j.fence, j.lease_token, j.attempts, p.max_attempts, j.available_at,
  extract(epoch from j.expires_at - clock_timestamp())::float8 * 1000 as ttl_ms,
  extract(epoch from j.run_ends_at - clock_timestamp())::float8 * 1000 as run_left_ms,
  0::float8 as waited_ms
from jobs j join kind_policies p on p.kind = j.kind
where j.worker_id = $1 and j.request_seq = $2 and j.kind = $3 and j.state = 'leased'
order by j.priority desc, j.available_at, j.enqueue_id
