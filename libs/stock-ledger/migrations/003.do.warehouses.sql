-- Warehouses beside the default one, and batches whose good rows alone are applied. It only adds: the previous release goes on running, its prepared statements answer the
-- columns that they did (a column more in a table of which one is `select *` breaks every connection that has prepared it), and what it writes is right in the new tables' eyes.

-- What a submission asked for beyond the usual, ATOMIC and SINGLE: no row, or one of another content, means those. The digest ties it to the content: the previous release,
-- which takes a corrected file under the same id without a look at this table, thereby makes its row void.
create table import_options (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  content_digest bytea not null,
  mode text not null,
  layout text not null,
  -- Once APPLIED: rows that were left out, faults that were found (the first are in import_row_errors), and warehouses that were named.
  rejected_rows bigint,
  row_error_count bigint,
  warehouses bigint,
  primary key (namespace, import_id),
  constraint import_options_mode check (mode in ('atomic', 'partial')),
  constraint import_options_layout check (layout in ('single', 'warehouses')),
  constraint import_options_counts check (num_nulls(rejected_rows, row_error_count, warehouses) in (0, 3))
);

-- Stock beside that of the default warehouse, which stays in `stock`: the previous release's `on conflict (namespace, sku)` needs its key as it is.
create table warehouse_stock (
  namespace text collate "C" not null,
  warehouse text collate "C" not null,
  sku text collate "C" not null,
  quantity bigint not null,
  update_time timestamptz not null,
  primary key (namespace, warehouse, sku),
  constraint warehouse_stock_quantity check (quantity >= 0),
  constraint warehouse_stock_sku check (octet_length(sku) between 1 and 1024),
  constraint warehouse_stock_warehouse check (warehouse ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$')
) with (fillfactor = 50);

create view all_stock as
  select namespace, ''::text collate "C" as warehouse, sku, quantity, update_time from stock
  union all
  select namespace, warehouse, sku, quantity, update_time from warehouse_stock;

-- As stock_moves, which keeps the moves of the default warehouse: the previous release would archive those of others without their warehouse.
create table warehouse_moves (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  warehouse text collate "C" not null,
  sku text collate "C" not null,
  quantity bigint not null,
  line integer not null,
  row_count integer not null,
  apply_time timestamptz not null
);
create index warehouse_moves_by_time on warehouse_moves using brin (apply_time) with (pages_per_range = 32, autosummarize = on);

create table warehouse_moves_archive (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  warehouse text collate "C" not null,
  sku text collate "C" not null,
  quantity bigint not null,
  line integer not null,
  row_count integer not null,
  apply_time timestamptz not null,
  primary key (namespace, import_id, generation, warehouse, sku, apply_time)
) partition by range (apply_time);

-- Moves of every warehouse, archived or not. all_stock_moves stays what the previous release compares with `stock`.
create view all_moves as
  select namespace, import_id, generation, ''::text collate "C" as warehouse, sku, quantity, line, row_count, apply_time from all_stock_moves
  union all
  select namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time from warehouse_moves
  union all
  select namespace, import_id, generation, warehouse, sku, quantity, line, row_count, apply_time from warehouse_moves_archive;

-- One kind of archive more.
create or replace function archive_month(at_time timestamptz, out month_start timestamptz, out month_end timestamptz) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  archive text;
  month text;
begin
  month_start := date_trunc('month', at_time, 'UTC');
  month_end := (month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC';
  foreach archive in array array['stock_moves_archive', 'import_row_errors_archive', 'warehouse_moves_archive'] loop
    month := archive || to_char(month_start at time zone 'UTC', '_YYYY_MM');
    continue when exists (select from pg_class where relname = month and relnamespace = 'public'::regnamespace);
    -- Two at once would make the same table. Asked again behind the lock, by a query: to_regclass may answer from before it.
    perform pg_advisory_xact_lock(7400002);
    continue when exists (select from pg_class where relname = month and relnamespace = 'public'::regnamespace);
    execute format('create table %I (like %I including all)', month, archive);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', archive, month, month_start, month_end);
  end loop;
end
$$;

-- No batch is applied otherwise than it was submitted. A run of the previous release knows neither warehouses nor partial batches, and would read such a file, which a retry through an ingest of
-- that release can hand it, as another: it does not say in this setting what it applies.
create function refuse_other_options() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  applies text := coalesce(nullif(current_setting('leasehold.applies', true), ''), 'atomic single');
  asked text;
begin
  select o.mode || ' ' || o.layout into asked from import_options o where o.namespace = new.namespace and o.import_id = new.import_id and o.content_digest = new.content_digest;
  if coalesce(asked, 'atomic single') <> applies then
    raise exception 'the import % was submitted as %, and this run applies it as %', new.import_id, coalesce(asked, 'atomic single'), applies;
  end if;
  return new;
end
$$;
create trigger applied_as_submitted before insert on applied_batches for each row execute function refuse_other_options();
