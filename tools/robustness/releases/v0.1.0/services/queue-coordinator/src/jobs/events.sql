-- What is remembered of a job, oldest first, over all enqueues of its id. $1 namespace text · $2 kind text · $3 job id text · $4 rows at most int, the newest. Called by jobs/explain.ts alone.
select * from (
  select event_id, at, event, enqueue_id, fence, current_fence, worker_id, detail
  from job_events
  where namespace = $1 and kind = $2 and job_id = $3
  order by event_id desc
  limit $4
) newest
order by event_id
