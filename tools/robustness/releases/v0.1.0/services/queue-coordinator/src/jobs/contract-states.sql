-- The states of contracts. $1 kinds text[] · $2 versions int[]. Result: one row per contract that is known.
select distinct c.kind, c.version, c.state from contracts c join unnest($1::text[], $2::int[]) as a (kind, version) using (kind, version)
