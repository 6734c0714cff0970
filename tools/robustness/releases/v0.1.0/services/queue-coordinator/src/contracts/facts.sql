-- Everything that gates decide on, in one statement, so that a job which moves or a worker which comes meanwhile is seen once.
-- $1 kinds text[], null for all · $2 producers are forgotten after float8 ms. Result: one row per kind, its facts as JSON. Called by contracts/facts.ts alone.
--
-- A live job is in `jobs`, whatever holds it up: not due, not relayed, lost from the dispatcher's memory, paused. A finished one counts for as long as its outcome waits.
with kind as (
  select p.kind, p.dispatcher = 'postgres' as own from kind_policies p where $1::text[] is null or p.kind = any ($1::text[])
),
live as materialized (
  select j.kind, j.contract_version as version,
    count(*) filter (where j.state = 'leased') as leased,
    count(*) filter (where j.state = 'queued' and j.dispatched_at is null and not own) as undispatched,
    count(*) filter (where j.state = 'queued' and (j.dispatched_at is not null or own) and j.available_at <= now()) as due,
    count(*) filter (where j.state = 'queued' and (j.dispatched_at is not null or own) and j.available_at > now() and j.attempts = 0 and j.releases = 0) as scheduled,
    count(*) filter (where j.state = 'queued' and (j.dispatched_at is not null or own) and j.available_at > now() and j.attempts + j.releases > 0) as retrying,
    extract(epoch from now() - min(j.enqueued_at)) * 1000 as oldest_ms
  from jobs j join kind using (kind)
  group by 1, 2
),
waiting as materialized (
  select o.kind, o.contract_version as version, count(*) as outcomes, extract(epoch from now() - min(o.finished_at)) * 1000 as oldest_ms
  from outcomes o join kind using (kind)
  group by 1, 2
),
known as (
  select c.kind, c.version from contracts c join kind using (kind)
  union select kind, version from live
  union select kind, version from waiting
)
select kind.kind, now() as read_at,
  (select coalesce(json_agg(json_build_object(
      'version', k.version, 'state', coalesce(c.state, 'retired'), 'paused', coalesce(c.paused, false), 'sharePercent', case when c.state = 'open' then c.share_percent else 0 end,
      'left', json_build_object(
        'due', coalesce(l.due, 0), 'scheduled', coalesce(l.scheduled, 0), 'retrying', coalesce(l.retrying, 0), 'leased', coalesce(l.leased, 0),
        'undispatched', coalesce(l.undispatched, 0), 'outcomes', coalesce(w.outcomes, 0), 'oldestJobMs', l.oldest_ms, 'oldestOutcomeMs', w.oldest_ms),
      'jobs', array(select format('namespaces/%s/kinds/%s/jobs/%s', j.namespace, j.kind, j.job_id) from jobs j
        where l.kind is not null and j.kind = k.kind and j.contract_version = k.version order by j.enqueue_id limit 10),
      'outcomes', array(select format('namespaces/%s/kinds/%s/jobs/%s', o.namespace, o.kind, o.job_id) from outcomes o
        where w.kind is not null and o.kind = k.kind and o.contract_version = k.version order by o.enqueue_id limit 10)
    ) order by k.version), '[]')
    from known k
    left join contracts c on c.kind = k.kind and c.version = k.version
    left join live l on l.kind = k.kind and l.version = k.version
    left join waiting w on w.kind = k.kind and w.version = k.version
    where k.kind = kind.kind) as contracts,
  (select coalesce(json_agg(json_build_object(
      'workerId', w.worker_id, 'build', w.build, 'state', w.state, 'concurrency', w.concurrency, 'silentMs', extract(epoch from now() - w.last_seen_at) * 1000,
      'reads', d.versions, 'suspended', array(select s.version from build_suspensions s where s.kind = kind.kind and s.build = w.build order by 1)
    ) order by w.build, w.worker_id), '[]')
    from workers w
    join lateral (select array_agg(c.version order by c.version) as versions from worker_contracts c where c.worker_id = w.worker_id and c.kind = kind.kind) d on d.versions is not null
    where w.state <> 'gone') as workers,
  (select coalesce(json_agg(json_build_object(
      'producer', p.producer, 'build', p.build, 'writes', p.writes, 'reads', p.reads, 'lastSeenMs', extract(epoch from p.last_seen_at) * 1000
    ) order by p.producer), '[]')
    from producers p where p.kind = kind.kind and p.last_seen_at >= now() - $2 * interval '1 millisecond') as producers,
  (select coalesce(json_agg(json_build_object('version', s.version, 'build', s.build) order by s.version, s.build), '[]') from build_suspensions s where s.kind = kind.kind) as suspensions
from kind
order by 1
