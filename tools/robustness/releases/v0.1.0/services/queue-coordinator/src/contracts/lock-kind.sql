-- Lets one step of a kind's rollout be taken at a time. $1 kind text. Nothing that enqueues or grants waits for it. Called by contracts/steps.ts alone.
select pg_advisory_xact_lock(hashtextextended(format('leasehold rollout %s', $1::text), 0))
