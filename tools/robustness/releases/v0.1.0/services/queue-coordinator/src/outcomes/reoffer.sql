-- Offers outcomes again that were taken but did not fit into the answer.
-- $1 enqueue ids bigint[]. Called by outcomes/outcomes.ts alone.
update outcomes o set offer_at = now() where o.enqueue_id = any ($1::bigint[]) and o.offer_at > now()
