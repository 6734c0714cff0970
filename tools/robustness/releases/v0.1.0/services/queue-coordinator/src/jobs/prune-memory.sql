-- Forgets what only repeats of calls needed: settlements after 20 minutes (callers repeat for 15), journal entries and reports after a week, workers that left a day ago.
-- $1 rows at most int per table; each is found by an index on its time, oldest first. Result: one row with the counts. Called by jobs/prune.ts alone.
with s as (delete from settlements where ctid = any (array(select ctid from settlements where settled_at < now() - interval '20 minutes' order by settled_at limit $1)) and settled_at < now() - interval '20 minutes' returning 1),
e as (delete from job_events where ctid = any (array(select ctid from job_events where at < now() - interval '7 days' order by at limit $1)) and at < now() - interval '7 days' returning 1),
u as (delete from unreadable_reports where ctid = any (array(select ctid from unreadable_reports where reported_at < now() - interval '7 days' order by reported_at limit $1)) and reported_at < now() - interval '7 days' returning 1),
w as (delete from workers where ctid = any (array(select ctid from workers where state = 'gone' and gone_at < now() - interval '1 day' order by gone_at limit $1)) and state = 'gone' and gone_at < now() - interval '1 day' returning 1)
select (select count(*) from s)::int as settlements, (select count(*) from e)::int as events, (select count(*) from u)::int as reports, (select count(*) from w)::int as workers
