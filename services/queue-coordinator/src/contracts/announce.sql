-- Makes a contract known, or gives one that was announced without a digest its own. $1 kind text · $2 version int · $3 digest bytea. Result: one row when that happened now; none when it is there with a digest
-- or the kind is not known. Called by contracts/registry.ts alone.
insert into contracts (kind, version, state, descriptor_digest)
select p.kind, $2, 'announced', $3 from kind_policies p where p.kind = $1
on conflict (kind, version) do update set descriptor_digest = excluded.descriptor_digest, revision = contracts.revision + 1, updated_at = now()
  where octet_length(contracts.descriptor_digest) = 0 and octet_length(excluded.descriptor_digest) > 0
returning version
