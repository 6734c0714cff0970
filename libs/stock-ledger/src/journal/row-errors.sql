-- A page of the faults of the latest generation, REJECTED or applied in part, archived or not, in the file's order.
-- $1 namespace, $2 import_id, $3 the position that the last page ended with (0: from the first), $4 rows at most
-- Result: the rows.
select e.position, e.line, e.column_name, e.code, e.message
from imports i join all_import_row_errors e on e.namespace = i.namespace and e.import_id = i.import_id and e.generation = i.generation
where i.namespace = $1 and i.import_id = $2 and i.state in ('rejected', 'applied') and e.namespace = $1 and e.import_id = $2 and e.position > $3
order by e.position
limit $4
