-- A page of the journal, newest first.
-- $1 namespace, $2 states, $3 the seq that the last page ended with (null: from the newest), $4 rows at most
-- Result: the rows.
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from imports c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
where c.namespace = $1 and c.state = any($2) and ($3::bigint is null or c.seq < $3)
order by c.seq desc
limit $4
