-- Makes an outcome official: only for the generation that the card is at, only with a larger fence than any before, never once deleted.
-- $1 namespace, $2 file_id, $3 generation, $4 fence, $5 the state, $6 rejection reason, $7..$15 rendition: key, version_id, content_type,
-- size_bytes, sha256, width, height, source_width, source_height, $16 made (null: the rendition says it), $17 the safety interval in ms
-- Result: the row, or none when the right was lost. Called by the outcomes duty, and by the relay for a job that had ended already.
update files
set state = $5, revision = revision + 1, update_time = now(), outcome_fence = $4, outcome_time = now(), relay_due = null, relay_refusal = null,
    rejection_reason = $6, rendition_key = $7, rendition_version_id = $8, rendition_content_type = $9, rendition_size_bytes = $10,
    rendition_sha256 = $11, rendition_width = $12, rendition_height = $13, rendition_source_width = $14, rendition_source_height = $15,
    made = $16::jsonb,
    sweep_due = case when $16::jsonb is null then now() + $17 * interval '1 millisecond' end,
    sweep_made_due = case when $16::jsonb is not null then now() + $17 * interval '1 millisecond' end
where namespace = $1 and file_id = $2 and generation = $3 and outcome_fence < $4 and state not in ('deleting', 'deleted')
returning *
