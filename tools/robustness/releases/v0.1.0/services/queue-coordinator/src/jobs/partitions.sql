-- Makes the partitions of the coming days and drops empty old ones. Result: one row with the counts. Called by jobs/prune.ts alone.
select ensure_finished_partitions(3) as made, drop_empty_finished_partitions() as dropped
