-- Suspends a build's declaration of a contract once it has handed 3 different jobs of it back unread, and writes that into the audit log.
-- $1 kinds text[] · $2 versions int[] · $3 builds text[]. Result: one row per suspension made now. Called by leases/settle.ts alone.
with suspect as (
  select distinct a.kind, a.version, a.build
  from unnest($1::text[], $2::int[], $3::text[]) as a (kind, version, build)
  where (select count(*) from unreadable_reports r where r.kind = a.kind and r.version = a.version and r.build = a.build) >= 3
),
suspended as (
  insert into build_suspensions (kind, version, build, suspended_at) select kind, version, build, now() from suspect
  on conflict do nothing
  returning kind, version, build
),
audited as (
  insert into audit_events (at, actor, action, subject, detail)
  select now(), 'coordinator', 'suspend_build', format('%s@%s', kind, version), format('%s handed 3 different jobs back unread', build) from suspended
)
select kind, version, build from suspended
