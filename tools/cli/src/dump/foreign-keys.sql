-- Foreign keys, but for those that partitions have from their parents. No parameters. A row each with the definition that makes it again. Called by load.ts.
select n.nspname as schema, t.relname as name, k.conname as constraint_name, pg_get_constraintdef(k.oid) as definition
from pg_constraint k
join pg_class t on t.oid = k.conrelid
join pg_namespace n on n.oid = t.relnamespace
where k.contype = 'f' and k.conparentid = 0 and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%'
order by n.nspname, t.relname, k.conname
