-- SKUs whose moves, archived or not, do not come to their stock: none, or something is broken. Reads everything that the namespace has.
-- $1 namespace, $2 rows at most. Result: the rows.
select coalesce(m.sku, s.sku) as sku, coalesce(m.quantity, 0)::bigint as moved, coalesce(s.quantity, 0) as in_stock
from (select sku, sum(quantity) as quantity from all_stock_moves where namespace = $1 group by sku) m
full join (select sku, quantity from stock where namespace = $1) s on s.sku = m.sku
where coalesce(m.quantity, 0) <> coalesce(s.quantity, 0)
order by 1 limit $2
