-- One import. What users read never skips locked rows.
-- $1 namespace, $2 import_id
-- Result: the row, or none.
select c.*, o.mode, o.layout, o.rejected_rows, o.row_error_count, o.warehouses
from imports c left join import_options o on o.namespace = c.namespace and o.import_id = c.import_id and o.content_digest = c.content_digest
where c.namespace = $1 and c.import_id = $2
