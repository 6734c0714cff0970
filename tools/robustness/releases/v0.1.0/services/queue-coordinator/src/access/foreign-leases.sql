-- Leases that are held by workers of somebody else. $1 enqueue ids bigint[] · $2 identity text. Result: their enqueue ids. Called by access/worker-owners.ts alone.
-- A row has a worker only while it is leased: a condition on the state would tempt the planner into a partial index that it believes to be empty.
select j.enqueue_id from jobs j join workers w on w.worker_id = j.worker_id where j.enqueue_id = any ($1::bigint[]) and w.identity <> $2
