-- Gives jobs back that could not be sent: due again at once. Locks in id order.
-- $1 namespaces, $2 import_ids, $3 generations (arrays of one length)
-- Called by the relay.
with mine as (
  select j.namespace, j.import_id, j.generation
  from import_jobs j join unnest($1::text[], $2::text[], $3::integer[]) as s (namespace, import_id, generation) using (namespace, import_id, generation)
  where j.relay_due is not null
  order by j.namespace, j.import_id
  for update of j
)
update import_jobs j
set relay_due = now()
from mine
where j.namespace = mine.namespace and j.import_id = mine.import_id and j.generation = mine.generation and j.relay_due is not null
