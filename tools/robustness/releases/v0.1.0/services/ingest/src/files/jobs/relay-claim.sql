-- Takes jobs that are due at the relay, so that no other instance sends them at the same time; should this one die, they are due again.
-- $1 rows at most, $2 how long they are taken, in ms
-- Result: what to send, byte for byte. Called by the relay.
with due as (
  select namespace, file_id from files where relay_due <= now() order by relay_due limit $1 for update skip locked
)
update files f
set relay_due = now() + $2 * interval '1 millisecond'
from due
where f.namespace = due.namespace and f.file_id = due.file_id and f.state = 'queued' and f.relay_due <= now()
returning f.namespace, f.file_id as id, f.generation, f.job_id, f.job_contract_version, f.job_payload, f.job_digest
