-- The job has its outcome: nothing is owed any more.
-- $1 namespace, $2 import_id, $3 generation
-- Result: when it was queued, or none. Called in the transaction that settles the import.
delete from import_jobs where namespace = $1 and import_id = $2 and generation = $3 returning queue_time, clock_timestamp() as settle_time
