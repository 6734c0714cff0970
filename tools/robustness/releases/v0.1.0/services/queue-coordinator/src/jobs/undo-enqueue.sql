-- Takes back rows of this transaction's own insert whose id turned out to be finished: the insert had waited for the finishing transaction and then
-- succeeded. Runs with a fresh snapshot, before the commit.
-- $1 enqueue ids bigint[]. Result: the enqueue ids taken back. Called by jobs/enqueue.ts alone.
delete from jobs j
where j.enqueue_id = any ($1::bigint[]) and j.state = 'queued' and j.attempts = 0
  and exists (select from finished_jobs f where f.namespace = j.namespace and f.kind = j.kind and f.job_id = j.job_id)
returning j.enqueue_id
