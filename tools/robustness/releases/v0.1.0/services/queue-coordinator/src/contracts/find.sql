-- Contracts as they are. $1 kind text, null for all. Result: one row per contract, by kind and version. Called by contracts/registry.ts alone.
select kind, version, state, descriptor_digest, paused, case when state = 'open' then share_percent else 0 end as share_percent, revision, announced_at, updated_at
from contracts
where $1::text is null or kind = $1
order by kind, version
