-- Gives jobs back that could not be cancelled: due again at once. Locks in id order.
-- $1 namespaces, $2 file_ids (arrays of one length)
-- Called by the cancel duty.
with mine as (
  select f.namespace, f.file_id
  from files f join unnest($1::text[], $2::text[]) as s (namespace, file_id) using (namespace, file_id)
  where f.cancel_due is not null and f.state = 'deleting'
  order by f.namespace, f.file_id
  for update of f
)
update files f
set cancel_due = now()
from mine
where f.namespace = mine.namespace and f.file_id = mine.file_id and f.cancel_due is not null and f.state = 'deleting'
