-- Takes rows in COPY's text format: line, sku, quantity. Called by import-run.ts.
copy pg_temp.import_rows (line, sku, quantity) from stdin
