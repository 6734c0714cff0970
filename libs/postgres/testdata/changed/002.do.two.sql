-- A second step.
alter table one add column at timestamptz not null default now();
