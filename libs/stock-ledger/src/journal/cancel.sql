-- ACCEPTED to CANCELLED, whatever is running: no run can apply from here on.
-- $1 namespace, $2 import_id
-- Result: the row, or none. Called by cancel.
with changed as (
  update imports
  set state = 'cancelled', revision = revision + 1, update_time = clock_timestamp(), end_time = clock_timestamp(), ended_by = 'caller', idempotency_expire_time = null
  where namespace = $1 and import_id = $2 and state = 'accepted'
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
