-- Forgets how builds fared more than a day ago, and producers that were not heard for a day. Called by contracts/build-records.ts alone.
with r as (delete from build_records where minute < now() - interval '1 day'),
p as (delete from producers where last_seen_at < now() - interval '1 day')
select 1
