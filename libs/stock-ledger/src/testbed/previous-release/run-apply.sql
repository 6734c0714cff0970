-- $1 namespace, $2 import_id, $3 generation, $4 fence, $5 token_digest, $6 rows with quantity 0, $7 sum of the quantities above 0
-- Result: one row: verdict, stock_faults, stock_fault_count and the journal's row. Called by import-run.ts.
select a.verdict, a.stock_faults, a.stock_fault_count, (a.record).* from pg_temp.apply_import($1, $2, $3, $4, $5, $6, $7) as a
