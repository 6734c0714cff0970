-- Gives jobs back that could not be cancelled: due again at once. Locks in id order.
-- $1 namespaces, $2 import_ids (arrays of one length)
-- Called by the cancel duty.
with mine as (
  select j.namespace, j.import_id
  from import_jobs j join unnest($1::text[], $2::text[]) as s (namespace, import_id) using (namespace, import_id)
  where j.cancel_due is not null
  order by j.namespace, j.import_id
  for update of j
)
update import_jobs j
set cancel_due = now()
from mine
where j.namespace = mine.namespace and j.import_id = mine.import_id and j.cancel_due is not null
