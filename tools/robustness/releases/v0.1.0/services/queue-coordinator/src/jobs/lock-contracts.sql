-- Keeps a contract's state from changing until this transaction ends. The state itself must be read in a later statement: the same one would see it as
-- it was before the wait.
-- $1 kinds text[] · $2 versions int[]. One row per lock. A transition takes the exclusive form of the same key.
select pg_advisory_xact_lock_shared(hashtextextended(format('leasehold contract %s@%s', c.kind, c.version), 0))
from (select distinct kind, version from unnest($1::text[], $2::int[]) as c (kind, version) order by 1, 2) c
