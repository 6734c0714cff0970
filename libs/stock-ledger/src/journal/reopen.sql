-- ACCEPTED again under the next generation, with a corrected file: nothing of a REJECTED batch was applied, so its id is free, and so is that of
-- a batch whose idempotency term is over and that was forgotten. The fences stay: they rise over all generations.
-- The conditions on the row hold behind its lock; applied_batches has no row for one that is REJECTED, unless the journal's row came back from a backup.
-- $1 namespace, $2 import_id, $3..$6 source key, version_id, size_bytes, sha256, $7 charset, $8 content_digest, $9 mode, $10 layout
-- Result: the row, or none. Called by accept.
with changed as (
  update imports
  set state = 'accepted', generation = generation + 1, revision = revision + 1, update_time = clock_timestamp(), accept_time = clock_timestamp(),
      source_key = $3, source_version_id = $4, source_size_bytes = $5, source_sha256 = $6, charset = $7, content_digest = $8,
      token_digest = null, begin_time = null, ended_by = null, end_time = null,
      rows = null, zero_rows = null, skus = null, duplicate_rows = null, units_in = null, units_out = null, catalogue_generation = null,
      rejection_reason = null, fault_count = null,
      idempotency_expire_time = clock_timestamp() + (select term from idempotency_terms where namespace in ($1, '') order by namespace desc limit 1)
  where namespace = $1 and import_id = $2
    and ((state = 'rejected' and content_digest <> $8) or (state = 'applied' and idempotency_expire_time <= clock_timestamp()))
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
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
