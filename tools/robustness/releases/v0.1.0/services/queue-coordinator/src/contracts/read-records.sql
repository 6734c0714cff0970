-- How builds fared at a contract. $1 kind text · $2 version int · $3 within the last float8 ms. Result: one row per build. Called by contracts/build-records.ts alone.
select build, sum(succeeded)::bigint as succeeded, sum(failed_content)::bigint as failed_content, sum(failed_technical)::bigint as failed_technical, sum(expired)::bigint as expired
from build_records
where kind = $1 and version = $2 and minute >= now() - $3 * interval '1 millisecond'
group by build
order by build
