-- Every table of the database that holds rows, partitions by themselves, with the columns that COPY takes. No parameters. A row each, in order of name.
-- Called by snapshot.ts in the snapshot that is dumped, and by load.ts to compare.
select n.nspname as schema, c.relname as name,
  (select array_agg(a.attname::text order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
  pn.nspname as parent_schema, p.relname as parent_name, pg_get_expr(c.relpartbound, c.oid) as bounds
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
left join pg_inherits i on i.inhrelid = c.oid and c.relispartition
left join pg_class p on p.oid = i.inhparent
left join pg_namespace pn on pn.oid = p.relnamespace
where c.relkind = 'r' and c.relpersistence <> 't' and n.nspname <> 'information_schema' and n.nspname not like 'pg\_%'
order by n.nspname, c.relname
