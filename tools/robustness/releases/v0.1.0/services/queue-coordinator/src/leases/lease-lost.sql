-- Records refusals in the journal of exceptional events.
-- $1 enqueue ids bigint[] · $2 fences bigint[] · $3 current fences bigint[] · $4 namespaces text[] · $5 kinds text[] · $6 job ids text[] · $7 worker ids text[] · $8 verbs text[].
-- Called by leases/settle.ts alone.
insert into job_events (at, event, namespace, kind, job_id, enqueue_id, fence, current_fence, worker_id, detail)
select now(), 'lease_lost', a.namespace, a.kind, a.job_id, a.enqueue_id, a.fence, a.current_fence, a.worker_id, a.verb
from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
  as a (enqueue_id, fence, current_fence, namespace, kind, job_id, worker_id, verb)
