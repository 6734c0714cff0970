-- One page of the audit log, newest first. $1 only ids below this bigint · $2 subject text, null for all · $3 rows at most int. Called by contracts/audit-log.ts alone.
select audit_id, at, actor, action, subject, detail, forced
from audit_events
where audit_id < $1::bigint and ($2::text is null or subject = $2)
order by audit_id desc
limit $3
