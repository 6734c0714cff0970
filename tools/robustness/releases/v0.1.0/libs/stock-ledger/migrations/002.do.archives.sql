-- Old moves and row errors, by month. A month's table is made when the first row of the month moves there.
create table stock_moves_archive (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  sku text collate "C" not null,
  quantity bigint not null,
  line integer not null,
  row_count integer not null,
  apply_time timestamptz not null,
  -- The time is in the key as a partitioned table demands it; a batch has one.
  primary key (namespace, import_id, generation, sku, apply_time)
) partition by range (apply_time);

create table import_row_errors_archive (
  namespace text collate "C" not null,
  import_id text collate "C" not null,
  generation integer not null,
  position integer not null,
  line bigint not null,
  column_name text not null,
  code text not null,
  message text not null,
  reject_time timestamptz not null,
  primary key (namespace, import_id, generation, position, reject_time)
) partition by range (reject_time);

create view all_stock_moves as
  select namespace, import_id, generation, sku, quantity, line, row_count, apply_time from stock_moves
  union all
  select namespace, import_id, generation, sku, quantity, line, row_count, apply_time from stock_moves_archive;

create view all_import_row_errors as
  select namespace, import_id, generation, position, line, column_name, code, message, reject_time from import_row_errors
  union all
  select namespace, import_id, generation, position, line, column_name, code, message, reject_time from import_row_errors_archive;

-- Makes the archive's tables of the (UTC) month in which a time lies, unless they are there, and answers the month. It runs as the owner, so that a service
-- needs no right to define anything. Attached rather than created in place: that would wait for every reader of the archive.
create function archive_month(at_time timestamptz, out month_start timestamptz, out month_end timestamptz) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  archive text;
  month text;
begin
  month_start := date_trunc('month', at_time, 'UTC');
  month_end := (month_start at time zone 'UTC' + interval '1 month') at time zone 'UTC';
  foreach archive in array array['stock_moves_archive', 'import_row_errors_archive'] loop
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
revoke all on function archive_month(timestamptz) from public;
