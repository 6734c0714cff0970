-- The coordinator's whole truth: what is left to do (jobs), what was decided (finished_jobs, outcomes, settlements), who works.
-- Several coordinators share it; none keeps state of its own that matters.

-- Enqueue ids and fences. CACHE 1: a cached block would let a later grant carry a smaller fence. It starts at microseconds since
-- 1970, so that a sequence that is set to "now" after a restore is above everything that was handed out before.
create sequence fence_seq as bigint cache 1;
select setval('fence_seq', (extract(epoch from clock_timestamp()) * 1000000)::bigint);

-- To be called after a restore or a promotion, before coordinators start.
create function advance_fence_seq() returns bigint language sql as $$
  select setval('fence_seq', greatest((select last_value from fence_seq), (extract(epoch from clock_timestamp()) * 1000000)::bigint))
$$;

-- A kind's policy is a row, so that every coordinator agrees on it.
create table kind_policies (
  kind                text primary key check (kind ~ '^[a-z][a-z0-9-]{0,62}$'),
  dispatcher          text not null default 'postgres' check (dispatcher in ('postgres', 'bullmq')),
  lease_ms            integer not null check (lease_ms between 1000 and 3600000),
  max_run_ms          integer not null check (max_run_ms between 1000 and 86400000),
  max_attempts        integer not null check (max_attempts between 1 and 100),
  -- The delay before retry n is retry_initial_ms * retry_factor^(n-1), at most retry_max_ms, plus a random part of up to
  -- retry_spread times itself above it.
  retry_initial_ms    integer not null check (retry_initial_ms between 0 and 3600000),
  retry_factor        double precision not null default 2 check (retry_factor between 1 and 10),
  retry_max_ms        integer not null check (retry_max_ms between 0 and 86400000),
  retry_spread        double precision not null default 0.25 check (retry_spread between 0 and 1),
  -- Voluntary hand-backs that cost no attempt; the n-th waits release_initial_ms * 2^(n-1).
  max_free_releases   integer not null default 10 check (max_free_releases between 0 and 100),
  release_initial_ms  integer not null default 100 check (release_initial_ms between 0 and 60000),
  -- Finished jobs are kept this long. Never below 15 minutes: no call that can still name the row may be under way.
  retention_ms        bigint not null check (retention_ms >= 900000)
);

-- What a payload and a result of a kind look like; producers may enqueue only what is open.
create table contracts (
  kind      text not null references kind_policies,
  version   integer not null check (version >= 1),
  state     text not null check (state in ('announced', 'open', 'closed', 'retired')),
  primary key (kind, version)
);

create table jobs (
  namespace         text not null,
  kind              text not null,
  job_id            text not null,
  enqueue_id        bigint not null,
  contract_version  integer not null,
  priority          smallint not null check (priority between 0 and 9),
  payload           bytea not null,
  content_digest    bytea not null,
  state             text not null check (state in ('queued', 'leased')),
  enqueued_at       timestamptz not null,
  available_at      timestamptz not null,
  attempts          integer not null default 0 check (attempts >= 0),
  releases          integer not null default 0,
  last_reason       text not null default '',
  excluded_builds   text[] not null default '{}',
  -- The last fence drawn for the job; 0 before the first grant.
  fence             bigint not null default 0,
  lease_token       bytea,
  worker_id         text,
  build             text,
  request_seq       bigint,
  granted_at        timestamptz,
  expires_at        timestamptz,
  run_ends_at       timestamptz,
  progress_percent  smallint not null default 0,
  progress_stage    text not null default '',
  primary key (namespace, kind, job_id),
  check ((state = 'leased') = (lease_token is not null))
) with (
  fillfactor = 80,
  -- Dead rows are what slows a queue down, not its depth: vacuum early and often.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_insert_threshold = -1,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0
);
create unique index jobs_by_enqueue on jobs (enqueue_id);
create index jobs_claim on jobs (kind, contract_version, priority, available_at, enqueue_id) where state = 'queued';
create index jobs_leased_by_worker on jobs (worker_id) where state = 'leased';
create index jobs_leased_by_expiry on jobs (expires_at) where state = 'leased';

-- Append-only; partitioned by day so that pruning ends in dropping whole partitions.
create table finished_jobs (
  namespace         text not null,
  kind              text not null,
  job_id            text not null,
  enqueue_id        bigint not null,
  contract_version  integer not null,
  priority          smallint not null,
  content_digest    bytea not null,
  state             text not null check (state in ('succeeded', 'failed', 'cancelled')),
  enqueued_at       timestamptz not null,
  available_at      timestamptz not null,
  finished_at       timestamptz not null,
  prune_at          timestamptz not null,
  attempts          integer not null,
  reason            text not null,
  last_reason       text not null,
  result            bytea not null,
  fence             bigint not null,
  build             text not null
) partition by range (finished_at);
create index finished_jobs_by_name on finished_jobs (namespace, kind, job_id);
create index finished_jobs_by_enqueue on finished_jobs (enqueue_id);
create index finished_jobs_by_prune on finished_jobs (prune_at);
-- Catches what no daily partition covers, so that a settlement never fails for want of one.
create table finished_jobs_other partition of finished_jobs default;

-- What a producer has not acknowledged yet. The row's absence is the acknowledgement.
create table outcomes (
  enqueue_id        bigint primary key,
  namespace         text not null,
  kind              text not null,
  job_id            text not null,
  contract_version  integer not null,
  state             text not null,
  reason            text not null,
  last_reason       text not null,
  result            bytea not null,
  fence             bigint not null,
  attempts          integer not null,
  finished_at       timestamptz not null,
  build             text not null,
  -- Offered again from then on.
  offer_at          timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index outcomes_offer on outcomes (kind, offer_at, enqueue_id);
create index outcomes_by_fence on outcomes (fence);

-- Every settlement is remembered for longer than any caller repeats it: the last token on the row is not enough, as others may
-- have been granted since.
create table settlements (
  lease_token       bytea primary key,
  -- SHA-256 over verb and content: a repeat must say the same.
  digest            bytea not null,
  enqueue_id        bigint not null,
  settled_at        timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0.05);
create index settlements_by_time on settlements (settled_at);

create table workers (
  worker_id         text primary key,
  build             text not null,
  concurrency       integer not null,
  state             text not null check (state in ('active', 'cordoned', 'draining', 'gone')),
  answered_seq      bigint not null default 0,
  registered_at     timestamptz not null,
  last_seen_at      timestamptz not null,
  gone_at           timestamptz
) with (fillfactor = 50);
create table worker_contracts (
  worker_id         text not null references workers on delete cascade,
  kind              text not null,
  version           integer not null,
  primary key (worker_id, kind, version)
);

-- Jobs that a build handed back unread, and the declarations that were suspended for it.
create table unreadable_reports (
  kind              text not null,
  version           integer not null,
  build             text not null,
  enqueue_id        bigint not null,
  reported_at       timestamptz not null,
  primary key (kind, version, build, enqueue_id)
);
create table build_suspensions (
  kind              text not null,
  version           integer not null,
  build             text not null,
  suspended_at      timestamptz not null,
  primary key (kind, version, build)
);

-- Who changed what about the system itself.
create table audit_events (
  audit_id          bigint generated always as identity primary key,
  at                timestamptz not null,
  actor             text not null,
  action            text not null,
  subject           text not null,
  detail            text not null
);

-- Exceptional events of jobs, kept for a week, for the question "what happened to this job?".
create table job_events (
  event_id          bigint generated always as identity primary key,
  at                timestamptz not null,
  event             text not null,
  namespace         text not null,
  kind              text not null,
  job_id            text not null,
  enqueue_id        bigint not null,
  fence             bigint not null,
  current_fence     bigint not null,
  worker_id         text not null,
  detail            text not null
);
create index job_events_by_enqueue on job_events (enqueue_id, event_id);
create index job_events_by_time on job_events (at);

-- Live and finished jobs in one statement: two statements would miss a row that moves between them.
create view job_records as
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at,
         null::timestamptz as finished_at, null::timestamptz as prune_at, attempts, ''::text as reason, last_reason, ''::bytea as result,
         fence, coalesce(build, '') as build, coalesce(worker_id, '') as worker_id, progress_percent, progress_stage
  from jobs
  union all
  select namespace, kind, job_id, enqueue_id, contract_version, priority, content_digest, state, enqueued_at, available_at,
         finished_at, prune_at, attempts, reason, last_reason, result, fence, build, '' as worker_id, 0::smallint, ''
  from finished_jobs;

insert into kind_policies (kind, lease_ms, max_run_ms, max_attempts, retry_initial_ms, retry_max_ms, retention_ms)
  values ('image', 120000, 600000, 3, 30000, 1800000, 86400000);
insert into contracts (kind, version, state) values ('image', 1, 'open');
