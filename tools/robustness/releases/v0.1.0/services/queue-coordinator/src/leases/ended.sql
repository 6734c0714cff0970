-- Why leases could not be extended: whether their job was cancelled.
-- $1 enqueue ids bigint[]. Result: the enqueue ids of those that were cancelled. Called by leases/extend.ts alone.
select r.enqueue_id from job_records r where r.enqueue_id = any ($1::bigint[]) and r.state = 'cancelled'
