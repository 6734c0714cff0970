-- Takes everything in this database from a service's role but the right to connect; the service's own grants come after it, in the same transaction.
-- The role is the setting leasehold.service_role. No result; fails for a role that could do more than any grant says. Called by service-role.ts alone.
do $$
declare
  service text := current_setting('leasehold.service_role');
  known record;
begin
  select * into known from pg_roles where rolname = service;
  if not found then
    raise exception 'there is no role %: make it first (create role % login password ...)', service, service;
  end if;
  if known.rolsuper or known.rolcreatedb or known.rolcreaterole or known.rolreplication or known.rolbypassrls then
    raise exception 'role % is no role for a service: it may not be superuser, createdb, createrole, replication or bypassrls', service;
  end if;
  if exists (select from pg_auth_members where member = known.oid) then
    raise exception 'role % is no role for a service: it is a member of other roles', service;
  end if;
  if exists (select from pg_database where datdba = known.oid) or exists (select from pg_class where relowner = known.oid) then
    raise exception 'role % is no role for a service: it owns things here', service;
  end if;
  -- By default anybody may connect to any database and make temporary tables, and run any function.
  execute format('revoke all on database %I from public, %I', current_database(), service);
  execute format('grant connect on database %I to %I', current_database(), service);
  execute format('revoke all on schema public from public, %I', service);
  execute format('grant usage on schema public to %I', service);
  execute format('revoke all on all tables in schema public from public, %I', service);
  execute format('revoke all on all sequences in schema public from public, %I', service);
  execute format('revoke all on all functions in schema public from public, %I', service);
end
$$
