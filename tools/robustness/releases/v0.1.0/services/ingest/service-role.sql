-- What ingest needs of its own tables of the records database, and no more; the ledger says for itself what ingest needs of its. The role is the setting leasehold.service_role; run by
-- `node dist/migrate.js --grant-to ROLE`.
do $$
declare
  service text := current_setting('leasehold.service_role');
begin
  -- A card is never removed: its id stays taken.
  execute format('grant select, insert, update on files to %I', service);
  -- What is owed no more is removed: the ledger keeps what became of it.
  execute format('grant select, insert, update, delete on import_jobs to %I', service);
  execute format('grant select, update on passes to %I', service);
  execute format('grant select on schema_version to %I', service);
end
$$
