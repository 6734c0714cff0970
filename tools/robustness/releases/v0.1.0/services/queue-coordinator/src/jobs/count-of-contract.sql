-- How many live jobs a contract has, whatever their state. $1 kind text · $2 version int. Result: one row. Called by jobs/discard.ts alone.
select count(*) as jobs from jobs where kind = $1 and contract_version = $2
