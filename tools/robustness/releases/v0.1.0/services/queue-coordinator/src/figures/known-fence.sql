-- Whether the fence sequence is ahead of every fence that can be known cheaply, and whether commits are durable.
-- Result: one row. Called by figures/fence-check.ts at start.
select (select last_value from fence_seq) as sequence,
  greatest(
    coalesce((select max(fence) from jobs), 0), coalesce((select max(enqueue_id) from jobs), 0), coalesce((select max(fence) from outcomes), 0),
    coalesce((select max(enqueue_id) from finished_jobs), 0),
    coalesce((select max(fence) from (select fence from finished_jobs where finished_at > now() - interval '1 day' order by enqueue_id desc limit 10000) recent), 0)
  )::bigint as known,
  (select cache_size from pg_sequences where sequencename = 'fence_seq')::bigint as cache_size,
  current_setting('synchronous_commit') as synchronous_commit,
  current_setting('fsync') as fsync
