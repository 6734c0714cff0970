-- Writes a step down. $1 kind text · $2 versions int[] · $3 states text[] · $4 shares int[] · $5 paused bool[] · $6 the revisions that the step was decided on bigint[]: one contract per element.
-- Result: one row per contract changed; fewer than asked when somebody was faster. Called by contracts/steps.ts alone.
update contracts c
set state = a.state, share_percent = a.share, paused = a.paused, revision = c.revision + 1, updated_at = now()
from unnest($2::int[], $3::text[], $4::int[], $5::bool[], $6::bigint[]) as a (version, state, share, paused, revision)
where c.kind = $1 and c.version = a.version and c.revision = a.revision
returning c.version
