-- Takes cards that are due at the sweep; should this instance die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: the rows, with the database's time as `looked_at`. Called by the file sweep.
with due as (
  select namespace, file_id from files where sweep_due <= now() order by sweep_due limit $1 for update skip locked
)
update files f
set sweep_due = now() + $2 * interval '1 millisecond'
from due
where f.namespace = due.namespace and f.file_id = due.file_id and f.sweep_due <= now()
returning f.*, now() as looked_at
