-- What applying some changes now would leave below 0.
-- $1 namespace, $2 lines, $3 skus, $4 changes, $5 rows at most
-- Result: rows line, sku, in_stock, change in the order of lines, and in each how many there are in all.
select n.line, n.sku, coalesce(s.quantity, 0) as in_stock, n.change, count(*) over () as fault_count
from unnest($2::integer[], $3::text[], $4::bigint[]) as n (line, sku, change) left join stock s on s.namespace = $1 and s.sku = n.sku
where coalesce(s.quantity, 0) + n.change < 0
order by n.line
limit $5
