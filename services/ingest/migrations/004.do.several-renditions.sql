-- Photos that become several renditions. Only adds: the release before this one runs on it, on cards that are made as it makes them.

alter table files
  -- What to make, where the columns max_width to effort cannot say it: { renditions, placeholder, animation }; null where they can. They hold the first one's, cut to their bounds.
  add column wanted jsonb,
  -- What was made where the rendition columns, which hold the first, do not say all of it: { renditions, placeholder }. Counts only while they name its first.
  add column made jsonb,
  -- As sweep_due, for a READY card with several renditions. A release that knows of one only would take the others for superseded, and must not get to sweep them.
  add column sweep_made_due timestamptz,
  -- The same release would write such a card's job in version 1, which cannot say it: better no job than one for something else.
  add constraint files_wanted check (wanted is null or job_contract_version is null or job_contract_version > 1) not valid;
alter table files validate constraint files_wanted;
create index files_sweep_made_due on files (sweep_made_due) where sweep_made_due is not null;

-- For the same reason the pass over the bucket goes by another name: under the old one it is never due.
insert into passes (name, due_at) select 'bucket-of-renditions', due_at from passes where name = 'bucket';
update passes set due_at = 'infinity' where name = 'bucket';
