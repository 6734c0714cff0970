-- A journal's row that came back from an older backup, or that is lost, becomes what applied_batches says. Sources and charset stay where the content is the same.
-- $1 namespace, $2 import_id
-- Result: the row when it was changed. Called wherever a row's conditions did not hold.
insert into imports as i (namespace, import_id, state, generation, content_digest, fence, ended_by, create_time, accept_time, update_time, end_time,
    rows, zero_rows, skus, duplicate_rows, units_in, units_out, catalogue_generation, idempotency_expire_time)
select namespace, import_id, 'applied', generation, content_digest, fence, 'run', apply_time, apply_time, clock_timestamp(), apply_time,
    rows, zero_rows, skus, duplicate_rows, units_in, units_out, catalogue_generation, expire_time
from applied_batches where namespace = $1 and import_id = $2
on conflict (namespace, import_id) do update
set state = 'applied', generation = excluded.generation, revision = i.revision + 1, update_time = excluded.update_time,
    source_key = case when i.content_digest = excluded.content_digest then i.source_key end,
    source_version_id = case when i.content_digest = excluded.content_digest then i.source_version_id end,
    source_size_bytes = case when i.content_digest = excluded.content_digest then i.source_size_bytes end,
    source_sha256 = case when i.content_digest = excluded.content_digest then i.source_sha256 end,
    charset = case when i.content_digest = excluded.content_digest then i.charset else '' end,
    content_digest = excluded.content_digest, fence = greatest(i.fence, excluded.fence),
    token_digest = null, ended_by = 'run', end_time = excluded.end_time,
    rows = excluded.rows, zero_rows = excluded.zero_rows, skus = excluded.skus, duplicate_rows = excluded.duplicate_rows,
    units_in = excluded.units_in, units_out = excluded.units_out, catalogue_generation = excluded.catalogue_generation,
    rejection_reason = null, fault_count = null, idempotency_expire_time = excluded.idempotency_expire_time
where i.state <> 'applied'
returning *
