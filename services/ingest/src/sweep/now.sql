-- The database's time: every due time is judged by it.
-- Result: one row. Called by the bucket pass.
select now() as now
