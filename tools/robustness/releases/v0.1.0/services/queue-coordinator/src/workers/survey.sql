-- What a registering worker must know: its kinds' policies, what is queued that it does not read, what is suspended for its build.
-- $1 build text · $2 kinds text[] · $3 versions int[]. Result: rows tagged policy, unread or suspended. Called by workers/register.ts alone.
select 'policy' as tag, p.kind, 0 as version, p.lease_ms, p.max_run_ms, p.max_attempts
from kind_policies p where p.kind = any ($2::text[])
union all
select 'unread', c.kind, c.version, 0, 0, 0
from contracts c
where c.kind = any ($2::text[]) and not exists (select from unnest($2::text[], $3::int[]) as d (kind, version) where d.kind = c.kind and d.version = c.version)
  and exists (select from jobs j where j.kind = c.kind and j.contract_version = c.version)
union all
select 'suspended', s.kind, s.version, 0, 0, 0
from build_suspensions s join unnest($2::text[], $3::int[]) as d (kind, version) using (kind, version) where s.build = $1
