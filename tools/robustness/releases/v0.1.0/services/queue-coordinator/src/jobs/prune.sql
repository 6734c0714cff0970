-- Removes finished jobs past their retention whose outcome was acknowledged. An unacknowledged one stays, however old.
-- $1 rows at most int. Result: one row per job removed. Safe in any number of coordinators at once. Called by jobs/prune.ts alone.
with old as materialized (
  select f.tableoid, f.ctid as row_id
  from finished_jobs f
  where f.prune_at <= now() and f.finished_at <= now() - interval '15 minutes' and not exists (select from outcomes o where o.enqueue_id = f.enqueue_id)
  order by f.prune_at
  limit $1
  for update of f skip locked
)
delete from finished_jobs f using old where f.tableoid = old.tableoid and f.ctid = old.row_id and f.prune_at <= now()
returning f.enqueue_id
