-- Waits for every enqueueing of a contract that is under way, and holds later ones up until this transaction ends: what they then read is the new state.
-- $1 kind text · $2 version int. The exclusive form of the key in jobs/lock-contracts.sql. Called by contracts/steps.ts alone.
select pg_advisory_xact_lock(hashtextextended(format('leasehold contract %s@%s', $1::text, $2::int), 0))
