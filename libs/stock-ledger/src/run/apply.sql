-- $1 namespace, $2 import_id, $3 generation, $4 fence, $5 token_digest, $6 mode, $7 layout, $8 rows with quantity 0, $9 sum of the quantities above 0 (both null: counted per SKU),
-- $10..$13 the file's own faults: lines, columns, codes, messages, $14 how many there are, $15 rows with one, $16 what is said of stock's faults, by format()
-- Result: one row: verdict, stock_faults, stock_fault_count, the journal's row and its options. Called by import-run.ts.
select a.verdict, a.stock_faults, a.stock_fault_count, (a.record).*, (a.options).mode, (a.options).layout, (a.options).rejected_rows, (a.options).row_error_count, (a.options).warehouses
from pg_temp.apply_import($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) as a
