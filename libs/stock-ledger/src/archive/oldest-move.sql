-- Some move that is old enough for the archive. BRIN finds its pages.
-- $1 age in ms. Result: a row, or none. Called by the archive duty.
select apply_time as at_time from stock_moves where apply_time < clock_timestamp() - $1 * interval '1 millisecond' limit 1
