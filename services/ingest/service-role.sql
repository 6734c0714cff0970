-- What ingest needs of the records database, and no more. The role is the setting leasehold.service_role; run by `node dist/migrate.js --grant-to ROLE`.
do $$
declare
  service text := current_setting('leasehold.service_role');
begin
  -- A card is never removed: its id stays taken.
  execute format('grant select, insert, update on files to %I', service);
  execute format('grant select, update on passes to %I', service);
  execute format('grant select on schema_version to %I', service);
end
$$
