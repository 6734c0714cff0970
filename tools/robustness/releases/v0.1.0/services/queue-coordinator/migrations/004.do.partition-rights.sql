-- The service's role owns nothing, and partitions can be made and dropped by the owner of their table only: these two act as the owner.
-- A fixed search_path, as whoever calls could put tables of other schemas in front.
alter function ensure_finished_partitions(integer) security definer set search_path = public, pg_temp;
alter function drop_empty_finished_partitions() security definer set search_path = public, pg_temp;
