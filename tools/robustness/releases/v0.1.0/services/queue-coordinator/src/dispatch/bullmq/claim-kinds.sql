-- Has BullMQ dispatch kinds from now on, and writes that into the audit log. What is queued of them is relayed to it.
-- $1 kinds text[]. Result: one row per kind that had another dispatcher. Called by dispatch/bullmq/claim-kinds.ts alone.
with before as materialized (
  select p.kind, p.dispatcher from kind_policies p where p.kind = any ($1::text[]) and p.dispatcher <> 'bullmq' order by p.kind for update
),
changed as (
  update kind_policies p set dispatcher = 'bullmq' from before b where p.kind = b.kind
  returning p.kind, b.dispatcher as was
),
audited as (
  insert into audit_events (at, actor, action, subject, detail)
  select now(), 'coordinator', 'set_dispatcher', kind, format('bullmq instead of %s, as LEASEHOLD_BULLMQ_KINDS of a coordinator says', was) from changed
),
owed as (
  update jobs j set dispatched_at = null from changed c where j.kind = c.kind and j.state = 'queued'
)
select kind, was from changed
