-- What stock and a batch come to per warehouse and SKU, for an apply that must look at each. Called by import-run.ts.
create temporary table import_outcome (
  warehouse text collate "C", sku text collate "C", set_to bigint, quantity bigint, line integer, row_count integer, zero_rows bigint, units_in bigint, in_stock bigint, outcome numeric
) on commit delete rows
