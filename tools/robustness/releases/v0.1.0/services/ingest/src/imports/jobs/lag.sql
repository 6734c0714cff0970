-- How long the oldest relay and the oldest cancel have been waiting, in seconds by the database's clock; null when none does.
-- Result: one row. Called by the figures duty.
select
  (select extract(epoch from now() - min(queue_time))::float8 from import_jobs where relay_due is not null and relayed_at is null) as relay,
  (select extract(epoch from now() - min(cancel_time))::float8 from import_jobs where cancel_due is not null) as cancel
