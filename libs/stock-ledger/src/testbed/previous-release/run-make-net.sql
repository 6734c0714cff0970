-- What the rows come to per SKU, in the order of the SKUs' bytes: counted once, outside the ledger's transaction, however often the apply is repeated.
-- Called by import-run.ts.
create temporary table import_net as
select sku, sum(quantity)::bigint as quantity, min(line) as line, count(*)::integer as row_count
from pg_temp.import_rows group by sku order by sku
