-- Makes the archive's tables of the month in which a time lies, unless they are there.
-- $1 the time. Result: one row with the month's bounds. Called by the archive duty.
select month_start, month_end from archive_month($1)
