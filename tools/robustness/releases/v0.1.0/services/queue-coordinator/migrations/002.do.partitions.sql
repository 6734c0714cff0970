-- Daily partitions of finished_jobs: made ahead, dropped when empty. Called by the prune duty; concurrent callers wait for one another.

create function ensure_finished_partitions(days_ahead integer) returns integer language plpgsql as $$
declare
  day date;
  made integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('leasehold finished partitions', 0));
  for day in select (now() at time zone 'UTC')::date + offs from generate_series(0, days_ahead) as offs loop
    if to_regclass('finished_jobs_' || to_char(day, 'YYYYMMDD')) is null
      -- Rows that arrived before their partition stay in the default one, where they are read and pruned like any other.
      and not exists (select from finished_jobs_other where finished_at >= day at time zone 'UTC' and finished_at < (day + 1) at time zone 'UTC') then
      execute format('create table %I partition of finished_jobs for values from (%L) to (%L)',
        'finished_jobs_' || to_char(day, 'YYYYMMDD'), day at time zone 'UTC', (day + 1) at time zone 'UTC');
      made := made + 1;
    end if;
  end loop;
  return made;
end
$$;

create function drop_empty_finished_partitions() returns integer language plpgsql as $$
declare
  part text;
  has_rows boolean;
  dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('leasehold finished partitions', 0));
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'finished_jobs'::regclass and c.relname ~ '^finished_jobs_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') < (now() at time zone 'UTC')::date - 1
  loop
    execute format('select exists (select from %I)', part) into has_rows;
    if not has_rows then
      execute format('drop table %I', part);
      dropped := dropped + 1;
    end if;
  end loop;
  return dropped;
end
$$;

select ensure_finished_partitions(3);
