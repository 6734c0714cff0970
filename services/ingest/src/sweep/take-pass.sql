-- Takes the pass over the whole bucket for this instance, when it is due.
-- $1 when it is due again, in ms from now
-- Result: one row when it was taken. Called by the bucket pass.
update passes set due_at = now() + $1 * interval '1 millisecond' where name = 'bucket-of-renditions' and due_at <= now() returning name
