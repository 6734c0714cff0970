-- Makes the relay send again what has been QUEUED for long: a job that a restore lost comes back, any other answers EXISTS.
-- $1 how long since it was last relayed, in ms, $2 rows at most
-- Result: the cards. Called by the healing duty.
with late as (
  select namespace, file_id from files
  where state = 'queued' and relay_due is null and relayed_at < now() - $1 * interval '1 millisecond'
  order by relayed_at limit $2 for update skip locked
)
update files f
set relay_due = now()
from late
where f.namespace = late.namespace and f.file_id = late.file_id and f.state = 'queued' and f.relay_due is null
  and f.relayed_at < now() - $1 * interval '1 millisecond'
returning f.namespace, f.file_id as id
