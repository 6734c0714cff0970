-- Makes the relay send again what has been waiting for its outcome for long: a job that a restore lost comes back, any other answers EXISTS.
-- $1 how long since it was last relayed, in ms, $2 rows at most
-- Result: the imports. Called by the healing duty.
with late as (
  select namespace, import_id from import_jobs
  where relay_due is null and cancel_due is null and relayed_at < now() - $1 * interval '1 millisecond'
  order by relayed_at limit $2 for update skip locked
)
update import_jobs j
set relay_due = now()
from late
where j.namespace = late.namespace and j.import_id = late.import_id and j.relay_due is null and j.cancel_due is null
  and j.relayed_at < now() - $1 * interval '1 millisecond'
returning j.namespace, j.import_id as id
