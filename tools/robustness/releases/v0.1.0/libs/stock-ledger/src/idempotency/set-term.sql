-- How long applied batches stay known, from the next submission or apply on: what was promised before stays.
-- $1 namespace ('' for all that have no row), $2 term in ms (null: for ever). No result. For the owner of the tables.
insert into idempotency_terms (namespace, term) values ($1, $2::bigint * interval '1 millisecond')
on conflict (namespace) do update set term = excluded.term
