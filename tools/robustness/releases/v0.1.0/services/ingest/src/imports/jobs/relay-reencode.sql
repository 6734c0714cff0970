-- Another contract version for a job whose version was found closed: nothing of it was committed there. The digest stays, as it is
-- over the logical content.
-- $1 namespace, $2 import_id, $3 generation, $4 the version found closed, $5 the new version, $6 its payload, $7 how long it
-- waits, in ms, $8 the refusal, for operators (null: none yet)
-- Called by the relay on CONTRACT_CLOSED only.
update import_jobs
set job_contract_version = $5, job_payload = $6, relay_due = now() + $7 * interval '1 millisecond', relay_refusal = $8
where namespace = $1 and import_id = $2 and generation = $3 and job_contract_version = $4 and relay_due is not null
