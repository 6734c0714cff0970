-- Stamps a run's fence on its batch, only upwards; the same run again, or the first one after an outcome raised the fence, may be equal to it.
-- Every condition is on the row itself, so that one which waited for the row's lock is judged by what it finds then.
-- $1 namespace, $2 import_id, $3 generation, $4 fence, $5 token_digest
-- Result: the row, or none. Called by begin.
with changed as (
  update imports
  set fence = $4, token_digest = $5, begin_time = clock_timestamp()
  where namespace = $1 and import_id = $2 and state = 'accepted' and generation = $3
    and (fence < $4 or (fence = $4 and (token_digest is null or token_digest = $5)))
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
