-- One card. What users read never skips locked rows.
-- $1 namespace, $2 file_id
-- Result: the row, or none.
select * from files where namespace = $1 and file_id = $2
