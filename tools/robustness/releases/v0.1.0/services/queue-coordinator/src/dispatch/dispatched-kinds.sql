-- Which dispatcher each kind has. Result: one row per kind. Called by dispatch/dispatchers.ts alone.
select kind, dispatcher from kind_policies order by kind
