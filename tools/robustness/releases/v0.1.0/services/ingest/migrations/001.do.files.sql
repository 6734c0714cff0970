-- One row per file: the caller's card, what the relay owes the coordinator, and what the sweep owes the store.
-- A row is never removed: DELETED cards keep their id taken, so that a late repeat of CreateFile cannot bring one back to life.
create table files (
  namespace text not null,
  file_id text not null,
  -- Order of creation, for pages: create_time has equals.
  seq bigint generated always as identity,
  state text not null default 'pending',
  generation integer not null default 0,
  -- Rises with every change that the owner can see; the etag is made of it.
  revision bigint not null default 1,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now(),
  expire_time timestamptz not null,
  confirm_time timestamptz,
  -- When this generation was queued: confirmation or retry.
  queue_time timestamptz,
  delete_time timestamptz,

  -- What to make, defaults filled in.
  max_width integer not null,
  max_height integer not null,
  quality integer not null,
  effort integer not null,

  -- The confirmed version. An empty digest: the store computes none and the caller gave none.
  source_version_id text,
  source_size_bytes bigint,
  source_sha256 bytea,

  -- What the relay sends: stored in the transaction that queues the card, before the first send, and resent byte for byte.
  job_id text,
  job_contract_version integer,
  job_payload bytea,
  job_digest bytea,
  -- Due at the relay; null when there is nothing to send.
  relay_due timestamptz,
  -- When the coordinator last said that it has the job, and the enqueue that it named.
  relayed_at timestamptz,
  enqueue_id bigint,
  -- The last refusal, for operators.
  relay_refusal text,
  -- Due at the cancel duty; null when nothing is to be cancelled (any more).
  cancel_due timestamptz,
  cancel_confirmed_at timestamptz,

  -- The largest fence of an applied outcome; kept over retries, as fences rise for ever. For a READY card also the rendition's.
  outcome_fence bigint not null default 0,
  outcome_time timestamptz,
  rejection_reason text,
  rendition_key text,
  rendition_version_id text,
  rendition_content_type text,
  rendition_size_bytes bigint,
  rendition_sha256 bytea,
  rendition_width integer,
  rendition_height integer,
  rendition_source_width integer,
  rendition_source_height integer,

  -- Revisions from which RetryFile queued the card again, newest last, so that a repeat is known.
  retried_revisions bigint[] not null default '{}',

  -- Due at the sweep; null when there is nothing to sweep.
  sweep_due timestamptz,

  primary key (namespace, file_id),
  constraint files_namespace check (namespace ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint files_file_id check (file_id ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  constraint files_state check (state in ('pending', 'queued', 'ready', 'rejected', 'cancelled', 'expired', 'deleting', 'deleted')),
  constraint files_options check (max_width between 1 and 16383 and max_height between 1 and 16383 and quality between 1 and 100 and effort between 1 and 6),
  constraint files_generation check (generation >= 0 and (state not in ('pending', 'expired') or generation = 0) and (state not in ('queued', 'ready', 'rejected', 'cancelled') or generation > 0)),
  constraint files_confirmed check (num_nulls(confirm_time, queue_time, source_version_id, source_size_bytes, source_sha256, job_id, job_contract_version, job_payload, job_digest) = (case when generation = 0 then 9 else 0 end)),
  constraint files_source check (source_size_bytes > 0 and octet_length(source_sha256) in (0, 32)),
  constraint files_job check (job_id = file_id || '.' || generation and octet_length(job_digest) = 32),
  constraint files_relay check (relay_due is null or state = 'queued'),
  constraint files_cancel check (cancel_due is null or state = 'deleting'),
  constraint files_outcome check (outcome_fence >= 0 and ((outcome_fence > 0) = (outcome_time is not null)) and (state not in ('ready', 'rejected', 'cancelled') or outcome_fence > 0)),
  constraint files_rejection check ((state = 'rejected') = (rejection_reason is not null)),
  constraint files_rendition check (num_nulls(rendition_key, rendition_version_id, rendition_content_type, rendition_size_bytes, rendition_sha256, rendition_width, rendition_height, rendition_source_width, rendition_source_height) = (case when state = 'ready' then 0 else 9 end)),
  constraint files_delete check ((state in ('deleting', 'deleted')) = (delete_time is not null)),
  constraint files_deleted check (state <> 'deleted' or (sweep_due is null and cancel_due is null))
);

create unique index files_by_seq on files (namespace, seq desc);
create index files_by_state on files (state);
create index files_relay_due on files (relay_due) where relay_due is not null;
create index files_cancel_due on files (cancel_due) where cancel_due is not null;
create index files_sweep_due on files (sweep_due) where sweep_due is not null;
create index files_expiring on files (expire_time) where state = 'pending';
create index files_relayed on files (relayed_at) where state = 'queued' and relay_due is null;

-- When a duty that only one instance at a time should do is due again.
create table passes (
  name text primary key,
  due_at timestamptz not null default now()
);
insert into passes (name) values ('bucket');
