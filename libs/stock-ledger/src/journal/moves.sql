-- A page of what an APPLIED import changed, archived or not, in the order of the bytes of warehouses and SKUs. All its moves have the time at which it was applied.
-- $1 namespace, $2 import_id, $3 and $4 the warehouse and SKU that the last page ended with (both empty: from the first), $5 rows at most
-- Result: the rows.
select m.warehouse, m.sku, m.quantity, m.line, m.row_count
from imports i join all_moves m on m.namespace = i.namespace and m.import_id = i.import_id and m.generation = i.generation and m.apply_time = i.end_time
where i.namespace = $1 and i.import_id = $2 and i.state = 'applied' and (m.warehouse, m.sku) > ($3, $4)
order by m.warehouse, m.sku
limit $5
