-- The first step, changed after it had landed.
create table one (id bigint primary key, payload bytea);
