-- Another contract version for a job whose version was found closed: nothing of it was committed there. The digest stays, as it is
-- over the logical content.
-- $1 namespace, $2 file_id, $3 generation, $4 the version found closed, $5 the new version, $6 its payload, $7 how long it
-- waits, in ms, $8 the refusal, for operators (null: none yet)
-- Called by the relay on CONTRACT_CLOSED only.
update files
set job_contract_version = $5, job_payload = $6, relay_due = now() + $7 * interval '1 millisecond', relay_refusal = $8
where namespace = $1 and file_id = $2 and generation = $3 and job_contract_version = $4 and state = 'queued' and relay_due is not null
