-- A new batch in state ACCEPTED, unless its id is taken or its stock was changed already.
-- $1 namespace, $2 import_id, $3..$6 source key, version_id, size_bytes, sha256, $7 charset, $8 content_digest, $9 mode, $10 layout
-- Result: the row, or none. Called by accept.
with changed as (
  insert into imports (namespace, import_id, source_key, source_version_id, source_size_bytes, source_sha256, charset, content_digest, idempotency_expire_time)
  select $1, $2, $3, $4, $5::bigint, $6::bytea, $7, $8::bytea, clock_timestamp() + (select term from idempotency_terms where namespace in ($1, '') order by namespace desc limit 1)
  where not exists (select from applied_batches where namespace = $1 and import_id = $2)
  on conflict do nothing
  returning *
), asked as (
  insert into import_options (namespace, import_id, content_digest, mode, layout)
  select namespace, import_id, content_digest, $9, $10 from changed where $9::text <> 'atomic' or $10::text <> 'single'
  on conflict (namespace, import_id) do update
  set content_digest = excluded.content_digest, mode = excluded.mode, layout = excluded.layout, rejected_rows = null, row_error_count = null, warehouses = null
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join asked o on true
