-- Takes cards that are due at the sweep; should this instance die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: the rows, with the database's time as `looked_at`. Called by the file sweep.
with due as (
  select namespace, file_id from files where sweep_due <= now() or (sweep_made_due <= now() and state <> 'deleted')
  order by least(sweep_due, sweep_made_due) limit $1 for update skip locked
)
update files f
set sweep_due = case when f.sweep_due is not null then now() + $2 * interval '1 millisecond' end,
    sweep_made_due = case when f.sweep_made_due is not null then now() + $2 * interval '1 millisecond' end
from due
where f.namespace = due.namespace and f.file_id = due.file_id and least(f.sweep_due, f.sweep_made_due) <= now()
returning f.*, now() as looked_at
