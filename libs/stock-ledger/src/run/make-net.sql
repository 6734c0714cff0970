-- What the rows come to per SKU, in the order of the SKUs' bytes: counted once, outside the ledger's transaction, however often the apply is repeated.
-- Called by import-run.ts.
create temporary table import_net as
select sku, sum(quantity)::bigint as quantity, sum(quantity) filter (where quantity > 0)::bigint as units_in, min(line) as line, count(*)::integer as row_count,
    (count(*) filter (where quantity = 0))::integer as zero_rows
from pg_temp.import_rows group by sku order by sku
