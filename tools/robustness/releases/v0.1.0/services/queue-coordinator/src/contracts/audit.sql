-- Writes down who changed what. $1 actor text · $2 action text · $3 subjects text[] · $4 detail text · $5 forced bool.
insert into audit_events (at, actor, action, subject, detail, forced)
select now(), $1, $2, subject, $4, $5 from unnest($3::text[]) as subject
