-- A new batch in state ACCEPTED, unless its id is taken or its stock was changed already.
-- $1 namespace, $2 import_id, $3..$6 source key, version_id, size_bytes, sha256, $7 charset, $8 content_digest
-- Result: the row, or none. Called by accept.
insert into imports (namespace, import_id, source_key, source_version_id, source_size_bytes, source_sha256, charset, content_digest, idempotency_expire_time)
select $1, $2, $3, $4, $5::bigint, $6::bytea, $7, $8::bytea, clock_timestamp() + (select term from idempotency_terms where namespace in ($1, '') order by namespace desc limit 1)
where not exists (select from applied_batches where namespace = $1 and import_id = $2)
on conflict do nothing
returning *
