-- The producer has applied these outcomes. Each is named by job and fence, never by job alone: a later enqueue of the id has an outcome of its own.
-- $1 namespaces text[] · $2 kinds text[] · $3 job ids text[] · $4 fences bigint[]. Result: the enqueue ids acknowledged now. Called by outcomes/rpc.ts alone.
with named as materialized (
  select o.enqueue_id
  from outcomes o join unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as a (namespace, kind, job_id, fence)
    on o.fence = a.fence and o.namespace = a.namespace and o.kind = a.kind and o.job_id = a.job_id
  order by o.enqueue_id
  for update of o
)
delete from outcomes o using named where o.enqueue_id = named.enqueue_id
returning o.enqueue_id
