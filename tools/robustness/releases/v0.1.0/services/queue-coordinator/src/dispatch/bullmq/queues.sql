-- The contracts that BullMQ dispatches, with how long its records are kept and whether they are paused. Result: one row per contract. Called by dispatch/bullmq/queues.ts alone.
select c.kind, c.version, p.retention_ms, coalesce(p.failed_retention_ms, p.retention_ms) as failed_retention_ms, p.keep_succeeded, p.keep_failed, c.paused
from contracts c join kind_policies p on p.kind = c.kind
where p.dispatcher = 'bullmq'
order by c.kind, c.version
