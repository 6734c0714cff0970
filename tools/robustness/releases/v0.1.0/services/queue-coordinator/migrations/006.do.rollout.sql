-- What a staged rollout decides on: which share of new jobs a contract version gets, what is paused, who produces, and how builds fare.

alter table contracts
  -- SHA-256 over the contract's descriptors; empty where it was announced without one.
  add column descriptor_digest bytea not null default '' check (octet_length(descriptor_digest) in (0, 32)),
  add column paused boolean not null default false,
  -- Of new jobs; that of a version that is not OPEN counts as 0. Those of the OPEN versions of a kind add up to 100.
  add column share_percent integer not null default 0 check (share_percent between 0 and 100),
  add column revision bigint not null default 1,
  add column announced_at timestamptz not null default now(),
  add column updated_at timestamptz not null default now();
update contracts set share_percent = 100 where version = 1 and state = 'open';

-- Processes that hand jobs over, as they last said of themselves. Forgotten a day after they were last heard.
create table producers (
  kind          text not null,
  producer      text not null,
  build         text not null,
  writes        integer[] not null,
  reads         integer[] not null,
  last_seen_at  timestamptz not null,
  primary key (kind, producer)
);

-- How attempts ended, by what ran, summed over a minute by each coordinator. Shown, never decided upon; forgotten after a day.
create table build_records (
  kind              text not null,
  version           integer not null,
  build             text not null,
  minute            timestamptz not null,
  succeeded         bigint not null default 0,
  failed_content    bigint not null default 0,
  failed_technical  bigint not null default 0,
  expired           bigint not null default 0,
  primary key (kind, version, build, minute)
);

alter table audit_events add column forced boolean not null default false;
create index audit_events_by_subject on audit_events (subject, audit_id);
create index job_events_by_name on job_events (namespace, kind, job_id, event_id);
