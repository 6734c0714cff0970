-- Takes a free job name for the length of this transaction: an enqueue of it that is under way is waited for, a later one waits for us.
-- $1 namespace text · $2 kind text · $3 job id text. Result: one row with the enqueue id when the name was free. Draws from the fence sequence.
-- Called by jobs/cancel.ts alone, which removes the row again with bury.sql.
insert into jobs (namespace, kind, job_id, enqueue_id, contract_version, priority, payload, content_digest, state, enqueued_at, available_at)
values ($1, $2, $3, nextval('fence_seq'), 0, 0, '', '', 'queued', now(), 'infinity')
on conflict (namespace, kind, job_id) do nothing
returning enqueue_id
