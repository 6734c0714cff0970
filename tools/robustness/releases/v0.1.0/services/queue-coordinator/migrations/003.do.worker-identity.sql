-- Who registered a worker, by its certificate; `local` over plaintext. A worker id is its registrant's alone. Empty: registered by a
-- coordinator of before, which spoke plaintext only.
alter table workers add column identity text not null default '';
