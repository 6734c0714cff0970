-- How many imports wait for their outcome, and since when the oldest does, in seconds by the database's clock; null when none does.
-- Result: one row. Called by the figures duty.
select count(*) as accepted, extract(epoch from now() - min(queue_time))::float8 as oldest from import_jobs where cancel_due is null
