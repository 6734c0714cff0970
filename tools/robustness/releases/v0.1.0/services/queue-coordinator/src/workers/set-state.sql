-- Moves workers to another state, as far as that goes from where they are. $1 worker ids text[] · $2 new state text · $3 the states that it goes from text[].
-- Result: one row per worker moved. Locked in the order of their ids. Called by workers/fleet.ts alone.
with chosen as materialized (
  select worker_id from workers where worker_id = any ($1::text[]) and state = any ($3::text[]) order by worker_id for update
)
update workers w set state = $2 from chosen where w.worker_id = chosen.worker_id returning w.worker_id
