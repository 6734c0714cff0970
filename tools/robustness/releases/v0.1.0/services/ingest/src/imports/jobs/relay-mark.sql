-- Marks jobs that the coordinator has, by the enqueue that it named. An import that was cancelled or decided meanwhile is left out: its enqueue is to be
-- cancelled, which changes nothing for a job that has ended. Locks in id order, as every batch does.
-- $1 namespaces, $2 import_ids, $3 generations, $4 enqueue_ids (arrays of one length)
-- Result: the jobs that were marked. Called by the relay.
with sent as (
  select * from unnest($1::text[], $2::text[], $3::integer[], $4::bigint[]) as s (namespace, import_id, generation, enqueue_id)
), locked as (
  select j.namespace, j.import_id, s.generation, s.enqueue_id
  from import_jobs j join sent s on j.namespace = s.namespace and j.import_id = s.import_id
  where j.generation = s.generation and j.cancel_due is null
  order by j.namespace, j.import_id
  for update of j
)
update import_jobs j
set relayed_at = now(), enqueue_id = greatest(j.enqueue_id, l.enqueue_id), relay_due = null, relay_refusal = null
from locked l
where j.namespace = l.namespace and j.import_id = l.import_id and j.generation = l.generation and j.cancel_due is null
returning j.namespace, j.import_id as id
