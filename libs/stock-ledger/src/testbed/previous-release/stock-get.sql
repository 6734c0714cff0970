-- Stock of some SKUs with the catalogue's generation and tag: one statement, so that both are of one state.
-- $1 namespace, $2 skus
-- Result: at least one row, each with the catalogue; sku is null where nothing was found.
select c.generation, c.tag, s.sku, s.quantity, s.update_time
from (select) as one left join catalogues c on c.namespace = $1 left join stock s on s.namespace = $1 and s.sku = any($2::text[])
