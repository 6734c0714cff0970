-- The coordinator grants this job no more: nothing is owed. The import is CANCELLED in the ledger, which lets no run apply it whatever the queue does.
-- $1 namespace, $2 import_id, $3 generation
-- Called by the cancel duty.
delete from import_jobs where namespace = $1 and import_id = $2 and generation = $3 and cancel_due is not null
