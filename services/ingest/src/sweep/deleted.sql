-- DELETING to DELETED, after an empty listing and after the last possible write.
-- $1 namespace, $2 file_id, $3 the safety interval in ms
-- Result: the card, or none when it is not (or no longer) so. Called by the file sweep.
update files
set state = 'deleted', revision = revision + 1, update_time = now(), sweep_due = null, sweep_made_due = null
where namespace = $1 and file_id = $2 and state = 'deleting' and cancel_due is null
  and greatest(delete_time, cancel_confirmed_at) + $3 * interval '1 millisecond' <= now()
returning namespace, file_id
