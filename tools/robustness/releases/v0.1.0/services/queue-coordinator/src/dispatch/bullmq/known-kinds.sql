-- Which of the kinds have a policy. $1 kinds text[]. Called by dispatch/bullmq/claim-kinds.ts alone.
select kind from kind_policies where kind = any ($1::text[])
