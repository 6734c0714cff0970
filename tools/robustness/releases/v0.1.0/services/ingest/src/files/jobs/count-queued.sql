-- How many cards of a namespace are QUEUED, counted up to a limit.
-- $1 namespace, $2 limit bigint. Result: one row. Called by jobs/in-flight.ts alone.
select count(*)::int as queued from (select from files where namespace = $1 and state = 'queued' limit $2) as counted
