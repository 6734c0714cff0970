-- How many imports of a namespace are in the queue, counted up to a limit.
-- $1 namespace, $2 limit bigint. Result: one row. Called by jobs/in-flight.ts alone.
select count(*)::int as queued from (select from import_jobs where namespace = $1 and cancel_due is null limit $2) as counted
