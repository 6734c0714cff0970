-- Some move of a warehouse but the default one that is old enough for the archive. BRIN finds its pages, for which the bound must be one value: now(), not the clock that runs on.
-- $1 age in ms. Result: a row, or none. Called by the archive duty.
select apply_time as at_time from warehouse_moves where apply_time < now() - $1 * interval '1 millisecond' limit 1
