-- PENDING to QUEUED: names the version that counts, raises the generation and stores the job that the relay will send, all in one.
-- clock_timestamp(), as now() may lie before a wait for the row's lock.
-- $1 namespace, $2 file_id, $3 version_id, $4 size_bytes, $5 sha256, $6 job_id, $7 contract_version, $8 payload, $9 digest,
-- $10 how long uploads may still come in, in ms
-- Result: the row, or none when it is not PENDING (any more). Called by ConfirmFile.
update files
set state = 'queued', generation = generation + 1, revision = revision + 1, update_time = now(), confirm_time = now(), queue_time = now(),
    source_version_id = $3, source_size_bytes = $4, source_sha256 = $5,
    job_id = $6, job_contract_version = $7, job_payload = $8, job_digest = $9, relay_due = now(),
    sweep_due = now() + $10 * interval '1 millisecond'
where namespace = $1 and file_id = $2 and state = 'pending' and generation = 0 and expire_time > clock_timestamp()
returning *
