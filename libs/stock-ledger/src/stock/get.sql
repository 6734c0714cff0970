-- Stock of some SKUs in one warehouse with the catalogue's generation and tag: one statement, so that both are of one state.
-- $1 namespace, $2 skus, $3 warehouse (empty: the default one)
-- Result: at least one row, each with the catalogue; sku is null where nothing was found.
select c.generation, c.tag, s.warehouse, s.sku, s.quantity, s.update_time
from (select) as one left join catalogues c on c.namespace = $1 left join all_stock s on s.namespace = $1 and s.warehouse = $3 and s.sku = any($2::text[])
