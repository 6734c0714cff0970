-- The database's time: every due time is judged by it.
-- Result: one row. Called by databaseTime.
select clock_timestamp() as now
