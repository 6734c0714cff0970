-- What a dispatcher's memory must show. $1 memory text. Result: one row once it was ever marked. Called by dispatch/bullmq/marker.ts alone.
select marker, previous from dispatch_markers where memory = $1
