-- What the result says of all rows together: a scan of its own is cheaper than more sums per SKU.
-- Result: one row. Called by import-run.ts.
select count(*) filter (where quantity = 0) as zero_rows, coalesce(sum(quantity) filter (where quantity > 0), 0)::bigint as units_in from pg_temp.import_rows
