-- A page of the journal, newest first.
-- $1 namespace, $2 states, $3 the seq that the last page ended with (null: from the newest), $4 rows at most
-- Result: the rows.
select * from imports
where namespace = $1 and state = any($2) and ($3::bigint is null or seq < $3)
order by seq desc
limit $4
