-- A table, for the tests of migrations.
create table one (id bigint primary key, payload bytea not null default '\x00');
