-- Remembers what a producer writes and reads. $1 kind text · $2 producer text · $3 build text · $4 writes int[] · $5 reads int[]. Result: one row when the kind is known.
-- Refreshed at most once a second for the same words: every pull of outcomes says them again.
with known as (
  select kind from kind_policies where kind = $1
),
noted as (
  insert into producers (kind, producer, build, writes, reads, last_seen_at)
  select kind, $2, $3, $4, $5, now() from known
  on conflict (kind, producer) do update set build = excluded.build, writes = excluded.writes, reads = excluded.reads, last_seen_at = now()
    where producers.last_seen_at < now() - interval '1 second' or (producers.build, producers.writes, producers.reads) is distinct from (excluded.build, excluded.writes, excluded.reads)
)
select kind from known
