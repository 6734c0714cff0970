-- What is in a database that is to be restored into, and who else is connected to it. No parameters. One row. Called by target.ts.
select
  (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%')::integer
  + (select count(*) from pg_proc f join pg_namespace n on n.oid = f.pronamespace where n.nspname <> 'information_schema' and n.nspname not like 'pg\_%')::integer as objects,
  coalesce((select array_agg(distinct coalesce(nullif(application_name, ''), 'unnamed')) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'), '{}') as sessions,
  to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as clock
