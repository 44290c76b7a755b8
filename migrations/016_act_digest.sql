-- What the request of a keyed act asked, as a SHA-256 of it, so that another request under its key is known for another
-- (case 68). NULL: an act from before this column, or one that no request asked for; its key answers whatever is asked.
alter table audit_log add column request_digest bytea;

---- create above / drop below ----

alter table audit_log drop column request_digest;
