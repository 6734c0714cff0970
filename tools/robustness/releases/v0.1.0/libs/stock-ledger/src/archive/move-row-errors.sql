-- Row errors of one month to the archive: in one statement, so that every reader sees each of them once.
-- $1 age in ms, $2 and $3 the month's bounds, $4 rows at most. Result: one row, how many. Called by the archive duty.
with gone as (
  delete from import_row_errors
  where ctid = any(array(
      select ctid from import_row_errors
      where reject_time < now() - $1 * interval '1 millisecond' and reject_time >= $2 and reject_time < $3 limit $4))
    and reject_time >= $2 and reject_time < $3
  returning *
), kept as (
  insert into import_row_errors_archive (namespace, import_id, generation, position, line, column_name, code, message, reject_time)
  select namespace, import_id, generation, position, line, column_name, code, message, reject_time from gone
  returning 1
)
select count(*)::int as moved from kept
