-- Grants of the tests of service-role.ts: read the table one, write nothing. The role is the setting leasehold.service_role.
do $$
begin
  execute format('grant select on one to %I', current_setting('leasehold.service_role'));
end
$$
