-- Gives a dispatcher's memory a new marker; to be written there afterwards, so that whoever reads in between finds the one of before, which is still good.
-- $1 memory text · $2 marker text · $3 how old in ms the last one must be float8. Result: one row when it was written: another coordinator may just have done so. Called by dispatch/bullmq/marker.ts alone.
insert into dispatch_markers (memory, marker, previous, written_at) values ($1, $2, $2, now())
on conflict (memory) do update set previous = dispatch_markers.marker, marker = excluded.marker, written_at = now()
  where dispatch_markers.written_at <= now() - $3 * interval '1 millisecond'
returning marker
