-- How many imports of a namespace are ACCEPTED, counted up to a limit.
-- $1 namespace, $2 limit. Result: one row.
select count(*)::int as accepted from (select from imports where namespace = $1 and state = 'accepted' limit $2) as counted
