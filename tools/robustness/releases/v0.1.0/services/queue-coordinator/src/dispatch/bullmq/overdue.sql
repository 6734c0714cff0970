-- Jobs that should have been granted by now if anybody wanted them: of each class the first few, where one that BullMQ forgot would stand.
-- $1 kinds text[] · $2 versions int[], $3 overdue by ms float8 · $4 rows at most of a class int. Result: as page.sql. Called by dispatch/bullmq/rows.ts alone.
select due.*
from unnest($1::text[], $2::int[]) as c (kind, version)
cross join generate_series(0, 9) as p (priority)
cross join lateral (
  select j.enqueue_id, j.kind, j.contract_version, j.priority, j.dispatch_token, 0::float8 as delay_ms, extract(epoch from clock_timestamp() - j.available_at)::float8 * 1000 as overdue_ms, j.available_at
  from jobs j
  where j.state = 'queued' and j.kind = c.kind and j.contract_version = c.version and j.priority = p.priority and j.available_at <= now() - $3 * interval '1 millisecond'
    and j.dispatched_at is not null
  order by j.available_at, j.enqueue_id
  limit $4
) due
