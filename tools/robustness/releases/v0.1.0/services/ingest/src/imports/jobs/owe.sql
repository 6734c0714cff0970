-- The job of a generation that was accepted a moment ago: due at the relay. It takes the place of an earlier generation's, which has ended.
-- $1 namespace, $2 import_id, $3 generation, $4 job_id, $5 contract_version, $6 payload, $7 digest
-- Called in the transaction that accepts, retries or reopens the import.
insert into import_jobs (namespace, import_id, generation, job_id, job_contract_version, job_payload, job_digest)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (namespace, import_id) do update
set generation = excluded.generation, queue_time = excluded.queue_time, job_id = excluded.job_id, job_contract_version = excluded.job_contract_version,
    job_payload = excluded.job_payload, job_digest = excluded.job_digest, relay_due = excluded.relay_due, relayed_at = null, enqueue_id = null,
    relay_refusal = null, cancel_time = null, cancel_due = null
where import_jobs.generation < excluded.generation
