-- How many cards of a namespace are queued, for the limit of each namespace.
create index files_queued on files (namespace) where state = 'queued';
