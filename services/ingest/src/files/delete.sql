-- To DELETING, whatever is running: from here on no outcome applies. A QUEUED card's job is to be cancelled, relayed or not.
-- The sweep waits for the safety interval, and for a job's cancel to be confirmed.
-- $1 namespace, $2 file_id, $3 the safety interval in ms
-- Result: the row, or none when it is deleted already or does not exist. Called by DeleteFile.
update files
set state = 'deleting', revision = revision + 1, update_time = now(), delete_time = now(),
    relay_due = null, relay_refusal = null, cancel_due = case when state = 'queued' then now() end,
    sweep_due = case when state = 'queued' then null else now() + $3 * interval '1 millisecond' end,
    sweep_made_due = null, made = null, rejection_reason = null,
    rendition_key = null, rendition_version_id = null, rendition_content_type = null, rendition_size_bytes = null, rendition_sha256 = null,
    rendition_width = null, rendition_height = null, rendition_source_width = null, rendition_source_height = null
where namespace = $1 and file_id = $2 and state not in ('deleting', 'deleted')
returning *
