-- Puts off a job that the coordinator refused.
-- $1 namespace, $2 file_id, $3 generation, $4 how long, in ms, $5 the refusal, for operators
-- Called by the relay.
update files
set relay_due = now() + $4 * interval '1 millisecond', relay_refusal = $5
where namespace = $1 and file_id = $2 and generation = $3 and state = 'queued' and relay_due is not null
