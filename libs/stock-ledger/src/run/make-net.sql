-- What the rows come to per SKU, in the order of the SKUs' bytes: counted once, outside the ledger's transaction, however often the apply is repeated. All of the default
-- warehouse, none that sets; zero rows and units of all rows together are counted by count-rows.
-- Called by import-run.ts.
create temporary table import_net as
select ''::text collate "C" as warehouse, sku, sum(quantity)::bigint as quantity, null::bigint as set_to, min(line) as line, count(*)::integer as row_count, 0::bigint as zero_rows, 0::bigint as units_in
from pg_temp.import_rows group by sku order by sku
