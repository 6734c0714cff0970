-- How many cards are in each state.
-- Result: state, files. Called by the figures duty.
select state, count(*) as files from files group by state
