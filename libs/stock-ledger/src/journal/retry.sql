-- REJECTED to ACCEPTED under the next generation, with the same file. The last 16 retried revisions are remembered, so that a repeat of the call is known.
-- $1 namespace, $2 import_id, $3 the revision that is meant
-- Result: the row, or none. Called by retry.
with changed as (
  update imports
  set state = 'accepted', generation = generation + 1, revision = revision + 1, update_time = clock_timestamp(), accept_time = clock_timestamp(),
      token_digest = null, begin_time = null, ended_by = null, end_time = null, rejection_reason = null, fault_count = null,
      idempotency_expire_time = clock_timestamp() + (select term from idempotency_terms where namespace in ($1, '') order by namespace desc limit 1),
      retried_revisions = (retried_revisions || revision)[greatest(1, cardinality(retried_revisions) - 14):]
  where namespace = $1 and import_id = $2 and state = 'rejected' and revision = $3
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
