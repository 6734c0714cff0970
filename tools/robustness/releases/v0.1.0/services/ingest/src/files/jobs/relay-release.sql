-- Gives jobs back that could not be sent: due again at once. Locks in id order.
-- $1 namespaces, $2 file_ids, $3 generations (arrays of one length)
-- Called by the relay.
with mine as (
  select f.namespace, f.file_id, f.generation
  from files f join unnest($1::text[], $2::text[], $3::integer[]) as s (namespace, file_id, generation) using (namespace, file_id, generation)
  where f.relay_due is not null and f.state = 'queued'
  order by f.namespace, f.file_id
  for update of f
)
update files f
set relay_due = now()
from mine
where f.namespace = mine.namespace and f.file_id = mine.file_id and f.generation = mine.generation and f.relay_due is not null and f.state = 'queued'
