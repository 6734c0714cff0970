-- What ingest needs of the ledger: the journal, stock to read, and what archives and forgets. It runs no import. The role is the setting leasehold.service_role.
do $$
declare
  service text := current_setting('leasehold.service_role');
begin
  -- A batch's row is never removed: its id stays taken.
  execute format('grant select, insert, update on imports, import_options to %I', service);
  execute format('grant select on stock, warehouse_stock, all_stock, catalogues, stock_moves, warehouse_moves, all_moves, import_row_errors, applied_batches, idempotency_terms, ledger_schema_version to %I', service);
  execute format('grant select on all_stock_moves, all_import_row_errors, stock_moves_archive, warehouse_moves_archive, import_row_errors_archive to %I', service);
  execute format('grant insert on stock_moves_archive, warehouse_moves_archive, import_row_errors_archive to %I', service);
  -- What moves to the archive is deleted here.
  execute format('grant delete on stock_moves, warehouse_moves, import_row_errors to %I', service);
  -- Only rows whose idempotency term is over, by the statements that say so.
  execute format('grant delete on applied_batches to %I', service);
  execute format('grant execute on function archive_month(timestamptz) to %I', service);
end
$$
