-- Takes jobs of deleted cards that are to be cancelled; should this instance die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: which jobs. Called by the cancel duty.
with due as (
  select namespace, file_id from files where cancel_due <= now() order by cancel_due limit $1 for update skip locked
)
update files f
set cancel_due = now() + $2 * interval '1 millisecond'
from due
where f.namespace = due.namespace and f.file_id = due.file_id and f.state = 'deleting' and f.cancel_due <= now()
returning f.namespace, f.file_id as id, f.generation, f.job_id, f.enqueue_id
