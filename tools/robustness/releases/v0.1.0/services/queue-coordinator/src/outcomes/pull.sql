-- Hands out outcomes that wait for acknowledgement, oldest first, and keeps them from other pullers for 30 s.
-- $1 kind text · $2 versions int[] · $3 rows at most int · $4 namespaces text[] (null: all). Result: the outcomes. Called by outcomes/rpc.ts alone.
update outcomes o set offer_at = now() + interval '30 seconds'
where o.enqueue_id = any (array(
    select enqueue_id from outcomes where kind = $1 and contract_version = any ($2::int[]) and offer_at <= now()
      and ($4::text[] is null or namespace = any ($4::text[]))
    order by offer_at, enqueue_id limit $3 for update skip locked))
  and o.offer_at <= now()
returning o.enqueue_id, o.namespace, o.kind, o.job_id, o.contract_version, o.state, o.reason, o.last_reason, o.result, o.fence, o.attempts, o.finished_at, o.build
