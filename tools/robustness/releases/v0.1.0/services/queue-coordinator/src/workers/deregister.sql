-- A worker leaves: what it still holds goes back, without spending an attempt while free hand-backs are left.
-- The worker's row is locked first, as attend.sql does: the other way round the two could deadlock.
-- $1 worker id text. Result: one row per lease released. Called by workers/register.ts alone.
with gone as (
  update workers set state = 'gone', gone_at = coalesce(gone_at, now()) where worker_id = $1 returning worker_id
),
held as materialized (
  select j.enqueue_id, j.fence, j.lease_token, j.releases < coalesce(p.max_free_releases, 10) as free
  from gone join jobs j on j.worker_id = gone.worker_id left join kind_policies p on p.kind = j.kind
  where j.worker_id = $1 and j.state = 'leased' order by j.enqueue_id for update of j
),
released as (
  update jobs j
  set state = 'queued', attempts = j.attempts - h.free::int, releases = j.releases + 1, available_at = now(), lease_token = null, worker_id = null, build = null,
      request_seq = null, granted_at = null, expires_at = null, run_ends_at = null
  from held h
  where j.enqueue_id = h.enqueue_id and j.fence = h.fence and j.worker_id = $1
  returning j.kind, j.contract_version, j.enqueue_id, h.lease_token
)
select kind, contract_version, enqueue_id, lease_token from released
