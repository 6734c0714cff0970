-- Shipments are a kind of their own, and a kind may be dispatched by BullMQ, which proposes while these tables go on deciding.

-- Failed and cancelled jobs may be kept for longer than succeeded ones; null: as retention_ms says. How many a dispatcher's own records are kept at most, which
-- changes nothing here: GetJob answers for as long as the times say.
alter table kind_policies
  add column failed_retention_ms bigint check (failed_retention_ms >= 900000),
  add column keep_succeeded integer check (keep_succeeded between 0 and 1000000),
  add column keep_failed integer check (keep_failed between 0 and 1000000);

-- The outbox of a dispatcher is a column: null until it has the job. With the default a coordinator of before, which does not know the column, leaves nothing
-- for the relay; what it enqueued of a kind that is BullMQ's the reconciler finds.
alter table jobs
  add column dispatched_at timestamptz default now(),
  -- The last lease's token, which also locks BullMQ's record of the job. It outlives the lease: what was not told to BullMQ then is told with it later.
  add column dispatch_token bytea,
  add column progress_items bigint not null default 0,
  add column progress_bytes bigint not null default 0,
  add column progress_bytes_total bigint not null default 0;
create index jobs_undispatched on jobs (enqueue_id) where dispatched_at is null;

-- What a dispatcher's memory must show too, or else it was emptied or is older than it should be. One row per memory, by its prefix.
create table dispatch_markers (
  memory        text primary key,
  marker        text not null,
  -- Still good: the new one is written here before it is written there.
  previous      text not null,
  written_at    timestamptz not null
);

create or replace view job_records as
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at,
         null::timestamptz as finished_at, null::timestamptz as prune_at, attempts, ''::text as reason, last_reason, ''::bytea as result,
         fence, coalesce(build, '') as build, coalesce(worker_id, '') as worker_id, progress_percent, progress_stage, progress_items, progress_bytes, progress_bytes_total
  from jobs
  union all
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at,
         finished_at, prune_at, attempts, reason, last_reason, result, fence, build, '' as worker_id, 0::smallint, '', 0::bigint, 0::bigint, 0::bigint
  from finished_jobs;

-- Retries from a second on, doubling to five minutes; three attempts are spent within seconds when something is down for good.
insert into kind_policies (kind, lease_ms, max_run_ms, max_attempts, retry_initial_ms, retry_max_ms, retention_ms, failed_retention_ms, keep_succeeded, keep_failed)
  values ('import', 120000, 1800000, 3, 1000, 300000, 3600000, 86400000, 100, 100);
insert into contracts (kind, version, state) values ('import', 1, 'open');
