-- Takes jobs that are due at the relay, so that no other instance sends them at the same time; should this one die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: what to send, byte for byte. Called by the relay.
with due as (
  select namespace, import_id from import_jobs where relay_due <= now() order by relay_due limit $1 for update skip locked
)
update import_jobs j
set relay_due = now() + $2 * interval '1 millisecond'
from due
where j.namespace = due.namespace and j.import_id = due.import_id and j.relay_due <= now()
returning j.namespace, j.import_id as id, j.generation, j.job_id, j.job_contract_version, j.job_payload, j.job_digest
