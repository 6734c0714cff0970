-- Takes jobs of cancelled imports; should this instance die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: which jobs. Called by the cancel duty.
with due as (
  select namespace, import_id from import_jobs where cancel_due <= now() order by cancel_due limit $1 for update skip locked
)
update import_jobs j
set cancel_due = now() + $2 * interval '1 millisecond'
from due
where j.namespace = due.namespace and j.import_id = due.import_id and j.cancel_due <= now()
returning j.namespace, j.import_id as id, j.generation, j.job_id, j.enqueue_id
