-- What the coordinator needs of the queue database, and no more. The role is the setting leasehold.service_role; run by `node dist/migrate.js --grant-to ROLE`.
do $$
declare
  service text := current_setting('leasehold.service_role');
begin
  execute format('grant select, insert, update, delete on jobs, finished_jobs, outcomes, workers, dispatch_markers to %I', service);
  execute format('grant select, insert, delete on settlements, job_events, unreadable_reports to %I', service);
  execute format('grant select, insert on worker_contracts, build_suspensions, audit_events to %I', service);
  -- Policies and migrations are others' to change, but for which dispatcher a kind has: that depends on what a coordinator was given.
  execute format('grant select on job_records, kind_policies, contracts, schema_version to %I', service);
  execute format('grant update (dispatcher) on kind_policies to %I', service);
  execute format('grant insert, update on contracts to %I', service);
  execute format('grant select, insert, update, delete on producers, build_records to %I', service);
  -- To draw fences and to look; setting the sequence, after a restore, is the owner's.
  execute format('grant usage, select on sequence fence_seq to %I', service);
  execute format('grant execute on function ensure_finished_partitions(integer), drop_empty_finished_partitions() to %I', service);
end
$$
