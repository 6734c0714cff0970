-- The coordinator grants this job no more: the safety interval begins.
-- $1 namespace, $2 file_id, $3 generation, $4 the safety interval in ms
-- Called by the cancel duty.
update files
set cancel_due = null, cancel_confirmed_at = now(), sweep_due = now() + $4 * interval '1 millisecond'
where namespace = $1 and file_id = $2 and generation = $3 and state = 'deleting' and cancel_due is not null
