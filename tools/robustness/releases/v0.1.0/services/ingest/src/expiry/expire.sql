-- PENDING past its expire_time to EXPIRED. A confirm that came first has moved the card on; one that comes later is refused.
-- $1 rows at most, $2 how long uploads may still come in, in ms
-- Result: the cards. Called by the expiry duty.
with late as (
  select namespace, file_id from files
  where state = 'pending' and expire_time <= now()
  order by expire_time limit $1 for update skip locked
)
update files f
set state = 'expired', revision = f.revision + 1, update_time = now(), sweep_due = now() + $2 * interval '1 millisecond'
from late
where f.namespace = late.namespace and f.file_id = late.file_id and f.state = 'pending' and f.expire_time <= now()
returning f.namespace, f.file_id
