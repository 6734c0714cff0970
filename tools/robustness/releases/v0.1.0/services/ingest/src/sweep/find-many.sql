-- The cards of some objects.
-- $1 namespaces, $2 file_ids (arrays of one length)
-- Result: the rows that exist. Called by the bucket pass.
select f.* from files f join unnest($1::text[], $2::text[]) as s (namespace, file_id) using (namespace, file_id)
