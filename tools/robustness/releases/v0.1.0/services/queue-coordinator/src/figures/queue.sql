-- The queue's own figures per contract. Result: one row per (kind, version) that has live jobs or unacknowledged outcomes, or is known. Called by figures/queue.ts alone.
select k.kind, k.version,
  (select count(*) from jobs j where j.kind = k.kind and j.contract_version = k.version and j.state = 'queued' and j.available_at <= now())::int as due,
  (select count(*) from jobs j where j.kind = k.kind and j.contract_version = k.version and j.state = 'queued' and j.available_at > now())::int as scheduled,
  (select count(*) from jobs j where j.kind = k.kind and j.contract_version = k.version and j.state = 'leased')::int as leased,
  (select count(*) from jobs j where j.kind = k.kind and j.contract_version = k.version and j.state = 'leased' and j.expires_at < clock_timestamp())::int as past_expiry,
  coalesce((select extract(epoch from now() - min(j.available_at)) from jobs j where j.kind = k.kind and j.contract_version = k.version and j.state = 'queued' and j.available_at <= now()), 0)::float8 as oldest_due_s,
  (select count(*) from outcomes o where o.kind = k.kind and o.contract_version = k.version)::int as unacknowledged,
  (select count(*) from workers w join worker_contracts c using (worker_id) where w.state = 'active' and c.kind = k.kind and c.version = k.version
     and not exists (select from build_suspensions s where s.kind = c.kind and s.version = c.version and s.build = w.build))::int as readers
from (select kind, version from contracts union select distinct kind, contract_version from jobs) as k (kind, version)
