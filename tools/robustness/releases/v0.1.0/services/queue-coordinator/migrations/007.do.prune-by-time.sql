-- Pruning finds the oldest rows by their time, and no more of them than one statement may remove.
create index unreadable_reports_by_time on unreadable_reports (reported_at);
create index workers_by_leave on workers (gone_at) where state = 'gone';
