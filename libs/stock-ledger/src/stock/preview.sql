-- What some warehouses and SKUs have now.
-- $1 namespace, $2 warehouses, $3 skus
-- Result: a row for each, in their order.
select coalesce(s.quantity, w.quantity, 0) as in_stock
from unnest($2::text[], $3::text[]) with ordinality as n (warehouse, sku, place)
left join stock s on n.warehouse = '' and s.namespace = $1 and s.sku = n.sku
left join warehouse_stock w on n.warehouse <> '' and w.namespace = $1 and w.warehouse = n.warehouse and w.sku = n.sku
order by n.place
