-- What a job's outcome proposes for a batch that nothing ended: cancelled ends it as CANCELLED, refused as REJECTED. One that claims success
-- although nothing is applied is of a ledger that was restored: the batch stays ACCEPTED under a new generation, so that a new job applies it.
-- The fence rises above the outcome's: a run that is still out can no longer apply.
-- $1 namespace, $2 import_id, $3 generation, $4 the outcome's fence, $5 cancelled | refused | succeeded, $6 reason (refused)
-- Result: the row, or none. Called by settle.
with changed as (
  update imports
  set state = case $5 when 'cancelled' then 'cancelled' when 'refused' then 'rejected' else 'accepted' end,
      generation = generation + case $5 when 'succeeded' then 1 else 0 end,
      revision = revision + 1, update_time = clock_timestamp(),
      accept_time = case $5 when 'succeeded' then clock_timestamp() else accept_time end,
      begin_time = case $5 when 'succeeded' then null else begin_time end,
      end_time = case $5 when 'succeeded' then null else clock_timestamp() end,
      ended_by = case $5 when 'succeeded' then null else 'outcome' end,
      outcome_fence = $4, fence = greatest(fence, $4::bigint + 1), token_digest = null,
      rejection_reason = case $5 when 'refused' then $6::text end, fault_count = case $5 when 'refused' then 0 end,
      idempotency_expire_time = case $5 when 'succeeded' then idempotency_expire_time end
  where namespace = $1 and import_id = $2 and state = 'accepted' and generation = $3 and outcome_fence < $4
    and not exists (select from applied_batches where namespace = $1 and import_id = $2)
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
