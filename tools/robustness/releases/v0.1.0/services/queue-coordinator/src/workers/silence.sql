-- Judges workers gone that were silent for too long. Their leases are left to expire: the process may be alive behind a broken network.
-- $1 silence in ms float8. Result: one row per worker judged. Safe in any number of coordinators at once. Called by workers/liveness.ts alone.
update workers w set state = 'gone', gone_at = now()
where w.worker_id = any (array(
    select worker_id from workers where state <> 'gone' and last_seen_at < now() - $1 * interval '1 millisecond' order by worker_id limit 500 for update skip locked))
  and w.state <> 'gone' and w.last_seen_at < now() - $1 * interval '1 millisecond'
returning w.worker_id, w.build, extract(epoch from now() - w.last_seen_at)::float8 * 1000 as silent_ms
