-- One import. What users read never skips locked rows.
-- $1 namespace, $2 import_id
-- Result: the row, or none.
select * from imports where namespace = $1 and import_id = $2
