-- Forgets applied batches whose idempotency term is over. Their imports, moves and results stay.
-- $1 rows at most. Result: a row for each. Called by the duty that forgets.
delete from applied_batches
where (namespace, import_id) in (select namespace, import_id from applied_batches where expire_time <= now() order by expire_time limit $1)
  and expire_time <= clock_timestamp()
returning import_id
