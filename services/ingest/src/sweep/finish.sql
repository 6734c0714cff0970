-- Puts a swept card off, or out of the sweep; not when it has changed since: then it is due for its new state.
-- $1 namespace, $2 file_id, $3 the revision that was swept, $4 when something more falls due (null: nothing does)
-- Called by the file sweep.
update files
set sweep_due = case when sweep_due is not null then $4::timestamptz end, sweep_made_due = case when sweep_made_due is not null then $4::timestamptz end
where namespace = $1 and file_id = $2 and revision = $3 and (sweep_due is not null or sweep_made_due is not null) and state <> 'deleted'
