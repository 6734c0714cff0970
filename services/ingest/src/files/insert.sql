-- A new card in state PENDING, unless its id is taken.
-- $1 namespace, $2 file_id, $3..$6 max_width, max_height, quality, effort, $7 wanted (null: those say it), $8 how long it waits for ConfirmFile, in ms
-- Result: the row, or none when the id is taken. Called by CreateFile.
insert into files (namespace, file_id, max_width, max_height, quality, effort, wanted, expire_time)
values ($1, $2, $3, $4, $5, $6, $7::jsonb, now() + $8 * interval '1 millisecond')
on conflict do nothing
returning *
