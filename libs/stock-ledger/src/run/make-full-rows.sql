-- As make-rows, with the warehouse and whether the row sets its stock rather than adds to it. Called by import-run.ts.
create temporary table import_rows (line integer not null, sku text collate "C" not null, quantity integer not null, warehouse text collate "C" not null default '', sets boolean not null default false)
