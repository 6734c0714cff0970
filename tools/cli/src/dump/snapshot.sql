-- Takes the snapshot: the first statement of its transaction. No parameters. One row. Called by snapshot.ts.
select current_setting('server_version') as server_version, to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as taken_at
