-- Secrets that all servers of one database share, such as the key that page cursors are signed with. Requests run as
-- wiki_app, which has no right here.
create table server_secrets (
    name        text primary key,
    secret      bytea not null check (length(secret) >= 32),
    inserted_at timestamptz not null
);
alter table server_secrets enable row level security;

-- Who read, as heat counts readers: the agent, else the root key's line, so that the keys of one line's dispatches are one
-- reader. NULL in rows from before: their principal.
alter table access_events add column reader text;

---- create above / drop below ----

alter table access_events drop column reader;
drop table server_secrets;
