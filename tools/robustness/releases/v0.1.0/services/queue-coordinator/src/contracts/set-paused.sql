-- Pauses a contract or lets it go on. $1 kind text · $2 version int · $3 paused bool · $4 the revision meant bigint, null for whichever. Result: one row when the contract is as asked for now. Called by contracts/pause.ts alone.
update contracts set paused = $3, revision = revision + (paused <> $3)::int, updated_at = case when paused <> $3 then now() else updated_at end
where kind = $1 and version = $2 and ($4::bigint is null or revision = $4)
returning version
