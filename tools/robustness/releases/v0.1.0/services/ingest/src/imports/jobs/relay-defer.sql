-- Puts off a job that the coordinator refused.
-- $1 namespace, $2 import_id, $3 generation, $4 how long, in ms, $5 the refusal, for operators
-- Called by the relay.
update import_jobs
set relay_due = now() + $4 * interval '1 millisecond', relay_refusal = $5
where namespace = $1 and import_id = $2 and generation = $3 and relay_due is not null
