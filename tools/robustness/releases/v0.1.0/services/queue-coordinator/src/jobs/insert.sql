-- Enqueues jobs whose id is free among live jobs; an insert that meets one under way waits for it.
-- $1 namespaces text[] · $2 kinds text[] · $3 job ids text[] · $4 versions int[] · $5 priorities int[] · $6 payloads bytea[] · $7 digests bytea[] · $8 delays in ms float8[] · $9 positions int[].
-- The arrays are in name order, so that batches cannot deadlock; enqueue ids are drawn in the order of the positions, so that jobs of one call keep their order. Result: the place and enqueue id of each row inserted. Draws from the fence sequence.
-- A job of a kind that PostgreSQL dispatches is where it belongs with its row; any other is left to the relay of its dispatcher (dispatched_at null).
-- Called by jobs/enqueue.ts alone, which looks at finished_jobs again before it commits.
with asked as (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::bytea[], $7::bytea[], $8::float8[], $9::int[])
    with ordinality as a (namespace, kind, job_id, contract_version, priority, payload, content_digest, delay_ms, position, place)
),
numbered as materialized (
  select o.*, nextval('fence_seq') as enqueue_id from (select * from asked order by position) o
),
inserted as (
  insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at, dispatched_at)
  select n.namespace, n.kind, n.job_id, n.enqueue_id, n.contract_version, n.priority, n.payload, n.content_digest, 'queued', now(), now() + n.delay_ms * interval '1 millisecond',
    case when p.dispatcher = 'postgres' then now() end
  from numbered n left join kind_policies p on p.kind = n.kind
  order by n.place
  on conflict (namespace, kind, job_id) do nothing
  returning namespace, kind, job_id, enqueue_id
)
select a.place, i.enqueue_id from inserted i join asked a using (namespace, kind, job_id)
