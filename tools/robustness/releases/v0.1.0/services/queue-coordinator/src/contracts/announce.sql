-- Makes a contract known unless it is. $1 kind text · $2 version int · $3 digest bytea. Result: one row when it was made now; none when it is there, or the kind is not. Called by contracts/registry.ts alone.
insert into contracts (kind, version, state, descriptor_digest)
select p.kind, $2, 'announced', $3 from kind_policies p where p.kind = $1
on conflict do nothing
returning version
