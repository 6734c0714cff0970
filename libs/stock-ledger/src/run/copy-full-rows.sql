-- Takes rows of warehouses in COPY's text format: line, sku, quantity, warehouse, sets. Called by import-run.ts.
copy pg_temp.import_rows (line, sku, quantity, warehouse, sets) from stdin
