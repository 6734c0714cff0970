-- Moves of one month, of warehouses but the default one, to the archive: in one statement, so that every reader sees each of them once.
-- $1 age in ms, $2 and $3 the month's bounds, $4 rows at most. Result: one row, how many. Called by the archive duty.
with gone as (
  delete from warehouse_moves
  where ctid = any(array(
      select ctid from warehouse_moves
      where apply_time < now() - $1 * interval '1 millisecond' and apply_time >= $2 and apply_time < $3 limit $4))
    and apply_time >= $2 and apply_time < $3
  returning *
), kept as (
  insert into warehouse_moves_archive (namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time)
  select namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time from gone
  returning 1
)
select count(*)::int as moved from kept
