-- Marks jobs that the coordinator has, by the enqueue that it named. A card that was deleted meanwhile is left out: its enqueue is to be cancelled.
-- Locks in id order, as every batch does. A card whose outcome came first is marked too.
-- $1 namespaces, $2 file_ids, $3 generations, $4 enqueue_ids (arrays of one length)
-- Result: the cards that were marked. Called by the relay.
with sent as (
  select * from unnest($1::text[], $2::text[], $3::integer[], $4::bigint[]) as s (namespace, file_id, generation, enqueue_id)
), locked as (
  select f.namespace, f.file_id, s.generation, s.enqueue_id
  from files f join sent s on f.namespace = s.namespace and f.file_id = s.file_id
  where f.generation = s.generation and f.state not in ('deleting', 'deleted')
  order by f.namespace, f.file_id
  for update of f
)
update files f
set relayed_at = now(), enqueue_id = greatest(f.enqueue_id, l.enqueue_id), relay_due = null, relay_refusal = null
from locked l
where f.namespace = l.namespace and f.file_id = l.file_id and f.generation = l.generation and f.state not in ('deleting', 'deleted')
returning f.namespace, f.file_id as id
