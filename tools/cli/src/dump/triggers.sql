-- Triggers that would act on rows as they are loaded. No parameters. A row each. Called by load.ts.
select n.nspname as schema, t.relname as name, g.tgname as trigger_name, g.tgenabled::text as enabled
from pg_trigger g
join pg_class t on t.oid = g.tgrelid
join pg_namespace n on n.oid = t.relnamespace
where not g.tgisinternal and g.tgparentid = 0 and g.tgenabled <> 'D' and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%'
order by n.nspname, t.relname, g.tgname
