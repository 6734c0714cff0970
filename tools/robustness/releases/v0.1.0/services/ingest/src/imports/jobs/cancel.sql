-- The import was cancelled: its job is to be cancelled, relayed or not.
-- $1 namespace, $2 import_id, $3 generation
-- Called in the transaction that cancels the import.
update import_jobs set cancel_time = now(), cancel_due = now(), relay_due = null, relay_refusal = null
where namespace = $1 and import_id = $2 and generation = $3 and cancel_due is null
