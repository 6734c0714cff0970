-- REJECTED to QUEUED under the next generation. The outcome's fence stays: fences rise over all generations.
-- The last 16 retried revisions are remembered, so that a repeat of the call is known.
-- $1 namespace, $2 file_id, $3 the revision that is meant, $4 the generation that is meant, $5 job_id, $6 contract_version, $7 payload, $8 digest
-- Result: the row, or none when it is not REJECTED at that revision. Called by RetryFile.
update files
set state = 'queued', generation = generation + 1, revision = revision + 1, update_time = now(), queue_time = now(), rejection_reason = null,
    job_id = $5, job_contract_version = $6, job_payload = $7, job_digest = $8,
    relay_due = now(), relayed_at = null, enqueue_id = null, relay_refusal = null, sweep_due = null, sweep_made_due = null,
    retried_revisions = (retried_revisions || revision)[greatest(1, cardinality(retried_revisions) - 14):]
where namespace = $1 and file_id = $2 and state = 'rejected' and revision = $3 and generation = $4
returning *
