-- For the rest of the transaction statements are planned with their values: a plan for any age would read the whole table where nothing is old.
-- No parameters, no result. Called by the archive duty.
select set_config('plan_cache_mode', 'force_custom_plan', true)
