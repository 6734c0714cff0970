-- Some row error that is old enough for the archive.
-- $1 age in ms. Result: a row, or none. Called by the archive duty.
select reject_time as at_time from import_row_errors where reject_time < now() - $1 * interval '1 millisecond' order by reject_time limit 1
