-- As make-net, per warehouse and SKU in the order of their bytes, and with what rows may come to that are left out later. Rows count in the file's order: `set_to` is what the last row that sets
-- has set, `quantity` what those after it add, and what stands before it comes to nothing.
-- Called by import-run.ts.
create temporary table import_net as
select r.warehouse, r.sku,
  coalesce(sum(r.quantity) filter (where counts.adds), 0)::bigint as quantity,
  (max(r.quantity) filter (where r.line = l.line))::bigint as set_to,
  min(r.line) as line, count(*)::integer as row_count,
  count(*) filter (where r.quantity = 0 and not r.sets) as zero_rows,
  coalesce(sum(r.quantity) filter (where counts.adds and r.quantity > 0), 0)::bigint as units_in
from pg_temp.import_rows r
left join (select warehouse, sku, max(line) as line from pg_temp.import_rows where sets group by warehouse, sku) l on l.warehouse = r.warehouse and l.sku = r.sku
cross join lateral (select not r.sets and (l.line is null or r.line > l.line) as adds) counts
group by r.warehouse, r.sku order by r.warehouse, r.sku
