-- Adds to how builds fare. $1 kinds text[] · $2 versions int[] · $3 builds text[] · $4 succeeded, $5 failed for content, $6 failed technically, $7 expired bigint[]. Called by contracts/build-records.ts alone.
insert into build_records (kind, version, build, minute, succeeded, failed_content, failed_technical, expired)
select kind, version, build, date_trunc('minute', now()), succeeded, content, technical, expired
from unnest($1::text[], $2::int[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) as a (kind, version, build, succeeded, content, technical, expired)
order by kind, version, build
on conflict (kind, version, build, minute) do update
set succeeded = build_records.succeeded + excluded.succeeded, failed_content = build_records.failed_content + excluded.failed_content,
    failed_technical = build_records.failed_technical + excluded.failed_technical, expired = build_records.expired + excluded.expired
