-- What import-worker needs of the database `records`: a batch to begin, apply or reject, and tables of its own session. The role is the setting leasehold.service_role.
do $$
declare
  service text := current_setting('leasehold.service_role');
begin
  execute format('grant temporary on database %I to %I', current_database(), service);
  -- insert: a row that was lost is made again from applied_batches.
  execute format('grant select, insert, update on imports to %I', service);
  execute format('grant select, insert on applied_batches, stock_moves, warehouse_moves, import_row_errors to %I', service);
  execute format('grant select, insert, update on stock, warehouse_stock, catalogues to %I', service);
  -- What was left out of a batch is written beside what was asked.
  execute format('grant select, update on import_options to %I', service);
  execute format('grant select on idempotency_terms, ledger_schema_version to %I', service);
end
$$
