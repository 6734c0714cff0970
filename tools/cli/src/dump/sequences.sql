-- Every sequence of the database, those of identity columns too. No parameters. A row each, in order of name. Called by snapshot.ts.
select n.nspname as schema, c.relname as name
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'S' and c.relpersistence <> 't' and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%'
order by n.nspname, c.relname
