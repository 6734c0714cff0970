-- Where a run's rows are copied to: of this session, no index, seen by nobody else. Called by import-run.ts.
create temporary table import_rows (line integer not null, sku text collate "C" not null, quantity integer not null)
