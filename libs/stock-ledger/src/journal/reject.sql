-- A run's own verdict on the content: REJECTED with its faults, only by the run that holds the fence.
-- $1 namespace, $2 import_id, $3 generation, $4 fence, $5 token_digest, $6 reason, $7 fault_count, $8..$11 lines, columns, codes, messages
-- Result: the row, or none. Called by reject.
with ended as (
  update imports
  set state = 'rejected', revision = revision + 1, update_time = clock_timestamp(), end_time = clock_timestamp(), ended_by = 'run',
      outcome_fence = greatest(outcome_fence, $4), rejection_reason = $6, fault_count = $7, idempotency_expire_time = null
  where namespace = $1 and import_id = $2 and state = 'accepted' and generation = $3 and fence = $4 and token_digest = $5
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
  returning *
), kept as (
  insert into import_row_errors (namespace, import_id, generation, position, line, column_name, code, message, reject_time)
  select namespace, import_id, generation, f.position, f.line, f.column_name, f.code, f.message, end_time
  from ended, unnest($8::bigint[], $9::text[], $10::text[], $11::text[]) with ordinality as f (line, column_name, code, message, position)
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from ended c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
