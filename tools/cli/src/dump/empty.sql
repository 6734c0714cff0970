-- Drops everything in the database; the schema public is left as a new database has it. No parameters, no result. Called by target.ts within the transaction that fills it again.
do $$
declare
  part text;
begin
  for part in select nspname from pg_namespace where nspname <> 'information_schema' and nspname not like 'pg\_%' loop
    execute format('drop schema %I cascade', part);
  end loop;
  create schema public authorization pg_database_owner;
  grant usage on schema public to public;
end
$$
