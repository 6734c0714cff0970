-- Forgets that one batch was applied, once its idempotency term is over.
-- $1 namespace, $2 import_id. No result. Called by accept, so that the term ends on time and not when the duty comes by.
delete from applied_batches where namespace = $1 and import_id = $2 and expire_time <= clock_timestamp()
