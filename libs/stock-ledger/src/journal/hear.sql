-- An outcome of a generation that has ended moves no state: APPLIED and CANCELLED are final, and a run's verdict says more than its job's. Of two
-- outcomes that reject, the one with the larger fence is shown.
-- $1 namespace, $2 import_id, $3 generation, $4 the outcome's fence, $5 cancelled | refused | succeeded, $6 reason (refused)
-- Result: the row, or none when a larger fence was heard. Called by settle.
with changed as (
  update imports
  set outcome_fence = $4, fence = greatest(fence, $4::bigint + 1),
      token_digest = case when fence <= $4 then null else token_digest end,
      rejection_reason = case when state = 'rejected' and ended_by = 'outcome' and $5 = 'refused' then $6::text else rejection_reason end,
      revision = revision + case when state = 'rejected' and ended_by = 'outcome' and $5 = 'refused' then 1 else 0 end,
      update_time = case when state = 'rejected' and ended_by = 'outcome' and $5 = 'refused' then clock_timestamp() else update_time end
  where namespace = $1 and import_id = $2 and state <> 'accepted' and generation = $3 and outcome_fence < $4
  returning *
)
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from changed c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
