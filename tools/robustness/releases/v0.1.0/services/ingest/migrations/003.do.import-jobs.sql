-- What the relay and the cancels owe the coordinator for imports: one row per ACCEPTED import, and per cancelled one until the coordinator has confirmed it.
-- What became of an import is in the ledger's `imports`, of another owner; its row is changed in the same transactions.
create table import_jobs (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  -- When this generation was queued.
  queue_time timestamptz not null default clock_timestamp(),

  -- What the relay sends: stored in the transaction that accepts the import, before the first send, and resent byte for byte.
  job_id text not null,
  job_contract_version integer not null,
  job_payload bytea not null,
  job_digest bytea not null,
  -- Due at the relay; null when there is nothing to send.
  relay_due timestamptz default now(),
  -- When the coordinator last said that it has the job, and the enqueue that it named.
  relayed_at timestamptz,
  enqueue_id bigint,
  -- The last refusal, for operators.
  relay_refusal text,
  -- When the import was cancelled, and when that is due at the cancel duty.
  cancel_time timestamptz,
  cancel_due timestamptz,

  primary key (namespace, import_id),
  constraint import_jobs_generation check (generation > 0),
  constraint import_jobs_job check (job_id = import_id || '.' || generation and octet_length(job_digest) = 32 and job_contract_version > 0),
  constraint import_jobs_cancel check ((cancel_time is null) = (cancel_due is null) and (cancel_due is null or relay_due is null))
);
create index import_jobs_relay_due on import_jobs (relay_due) where relay_due is not null;
create index import_jobs_cancel_due on import_jobs (cancel_due) where cancel_due is not null;
create index import_jobs_relayed on import_jobs (relayed_at) where relay_due is null and cancel_due is null;
