-- The journal of imports and the stock ledger. Keys compare by their bytes (collate "C"): the order in which every apply locks stock must not
-- depend on a locale.

-- One row per batch: the journal's entry and, while it is there, the only place that decides what became of the batch. A row is never removed.
create table imports (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  -- Order of creation, for pages: create_time has equals.
  seq bigint generated always as identity,
  state text not null default 'accepted',
  -- Rises with each submission or retry that makes it ACCEPTED again: a run and an outcome mean one generation.
  generation integer not null default 1,
  -- Rises with every change that the owner can see; the etag is made of it.
  revision bigint not null default 1,
  create_time timestamptz not null default clock_timestamp(),
  update_time timestamptz not null default clock_timestamp(),
  -- When this generation was accepted.
  accept_time timestamptz not null default clock_timestamp(),

  -- The exact bytes. Null only for a row that was made again from applied_batches, which keeps no source.
  source_key text,
  source_version_id text,
  source_size_bytes bigint,
  source_sha256 bytea,
  charset text not null default '',
  -- Of the logical content: what makes a second submission the same one.
  content_digest bytea not null,

  -- The run that may apply: stamped when it begins, only upwards, kept over generations. A null token: no run holds the fence.
  fence bigint not null default 0,
  token_digest bytea,
  begin_time timestamptz,
  -- The largest fence of an outcome that was heard.
  outcome_fence bigint not null default 0,

  -- Who ended it: the run itself, the job's outcome, or the caller who cancelled.
  ended_by text,
  end_time timestamptz,

  rows bigint,
  zero_rows bigint,
  skus bigint,
  duplicate_rows bigint,
  units_in bigint,
  units_out bigint,
  catalogue_generation bigint,

  rejection_reason text,
  fault_count bigint,

  -- Until when the batch is known as applied; null: for ever. While ACCEPTED, the least that is promised.
  idempotency_expire_time timestamptz,
  -- Revisions from which a retry made it ACCEPTED again, newest last, so that a repeat is known.
  retried_revisions bigint[] not null default '{}',

  primary key (namespace, import_id),
  constraint imports_namespace check (namespace ~ '^[a-z][a-z0-9-]{0,62}$'),
  constraint imports_import_id check (import_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
  constraint imports_state check (state in ('accepted', 'applied', 'rejected', 'cancelled')),
  constraint imports_generation check (generation > 0),
  constraint imports_source check (num_nulls(source_key, source_version_id, source_size_bytes, source_sha256) = 0 or (state = 'applied' and num_nulls(source_key, source_version_id, source_size_bytes, source_sha256) = 4)),
  constraint imports_digests check (octet_length(content_digest) = 32 and octet_length(source_sha256) = 32 and source_size_bytes >= 0),
  constraint imports_fences check (fence >= 0 and outcome_fence >= 0 and (token_digest is null or fence > 0)),
  constraint imports_ended check ((state = 'accepted') = (end_time is null) and (state = 'accepted') = (ended_by is null) and ended_by in ('run', 'outcome', 'caller')),
  constraint imports_result check (num_nulls(rows, zero_rows, skus, duplicate_rows, units_in, units_out, catalogue_generation) = (case when state = 'applied' then 0 else 7 end)),
  constraint imports_rejection check ((state = 'rejected') = (rejection_reason is not null) and (state = 'rejected') = (fault_count is not null) and fault_count >= 0)
);
create unique index imports_by_seq on imports (namespace, seq desc);
create index imports_accepted on imports (namespace) where state = 'accepted';

-- What was applied: alone enough to refuse a second apply, also when the journal's row came back from an older backup. Narrow and
-- permanent; never partitioned, and pruned only where an idempotency term was set before the batch was applied.
create table applied_batches (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  content_digest bytea not null,
  fence bigint not null,
  apply_time timestamptz not null,
  rows bigint not null,
  zero_rows bigint not null,
  skus bigint not null,
  duplicate_rows bigint not null,
  units_in bigint not null,
  units_out bigint not null,
  catalogue_generation bigint not null,
  -- Forgotten after it; null: never.
  expire_time timestamptz,
  primary key (namespace, import_id)
);
create index applied_batches_expiring on applied_batches (expire_time) where expire_time is not null;

-- How many units there are. Half of each page is left free, so that an apply over all SKUs finds room beside the old rows and touches no index: the upsert
-- of 100 000 known SKUs took 0.5 s of a core, against 0.8 s in full pages.
create table stock (
  namespace text collate "C" not null,
  sku text collate "C" not null,
  quantity bigint not null,
  update_time timestamptz not null,
  primary key (namespace, sku),
  constraint stock_quantity check (quantity >= 0),
  constraint stock_sku check (octet_length(sku) between 1 and 1024)
) with (fillfactor = 50);

-- What each batch changed: one row per SKU whose sum is not 0, which the one statement that inserts them groups by. No key: applied_batches keeps a batch from
-- being applied twice, and a btree over text would cost a tenth of the whole apply. A batch's rows have one time and lie together, so that BRIN finds them.
create table stock_moves (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  sku text collate "C" not null,
  quantity bigint not null,
  -- The first line of the file that names the SKU, and how many rows do.
  line integer not null,
  row_count integer not null,
  apply_time timestamptz not null
);
create index stock_moves_by_time on stock_moves using brin (apply_time) with (pages_per_range = 32, autosummarize = on);

-- Which state of the stock a namespace shows: rewritten by every apply, so that a read can be cached under its tag.
create table catalogues (
  namespace text collate "C" primary key,
  generation bigint not null,
  tag uuid not null,
  update_time timestamptz not null
);

-- Why a file was refused, in the file's order.
create table import_row_errors (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  position integer not null,
  -- The physical line, from 1; 0: the whole file.
  line bigint not null,
  -- The column's header; empty: the whole line.
  column_name text not null,
  code text not null,
  message text not null,
  reject_time timestamptz not null,
  primary key (namespace, import_id, generation, position)
);
create index import_row_errors_by_time on import_row_errors (reject_time);

-- How long applied batches stay known. Empty, as by default: for ever. The namespace '' stands for all that have no row; a null term: for ever.
create table idempotency_terms (
  namespace text collate "C" primary key,
  term interval,
  constraint idempotency_terms_term check (term > interval '0')
);
