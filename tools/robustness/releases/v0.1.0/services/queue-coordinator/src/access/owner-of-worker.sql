-- Who registered a worker. $1 worker id text. Result: its identity; no row for a worker that is not known. Called by access/worker-owners.ts alone.
select identity from workers where worker_id = $1
