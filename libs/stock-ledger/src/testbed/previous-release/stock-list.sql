-- A page of stock in the order of the SKUs' bytes, with the catalogue's generation and tag: one statement, so that both are of one state.
-- $1 namespace, $2 prefix, $3 the SKU that the last page ended with (empty: from the first), $4 rows at most
-- Result: at least one row, each with the catalogue; sku is null where there are none.
select c.generation, c.tag, s.sku, s.quantity, s.update_time
from (select) as one left join catalogues c on c.namespace = $1 left join lateral (
  select sku, quantity, update_time from stock
  -- Bounds for the index; chr(1114111) is the last character there is.
  where namespace = $1 and sku >= $2 and sku <= $2 || repeat(chr(1114111), 2) and starts_with(sku, $2) and sku > $3
  order by sku limit $4
) as s on true
order by s.sku
