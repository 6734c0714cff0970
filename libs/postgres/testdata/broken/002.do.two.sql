-- A step that fails half way.
create table half_done (id bigint);
select 1 / 0;
