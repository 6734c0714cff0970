-- $1 namespace, $2 import_id, $3 generation, $4 fence, $5 token_digest. Result: one row: verdict, faults, fault_count and the journal's row. Called by import-run.ts.
select a.verdict, a.faults, a.fault_count, (a.record).* from pg_temp.apply_import($1, $2, $3, $4, $5) as a
