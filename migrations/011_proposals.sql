-- Set-based acts (SPEC §4): what a dry run or a minter froze, what became of each article of it, and what a hard delete
-- leaves behind.
create table proposals (
    id              uuid primary key,
    tenant_id       uuid not null references tenants on delete cascade,
    kind            text not null check (kind in ('review', 'token', 'run')),   -- waits for a person, for its token, or was run at once
    op              text not null check (op in ('archive', 'delete', 'publish', 'unpublish', 'retag')),
    hard            boolean not null default false,
    add_tags        text[] not null default '{}',
    remove_tags     text[] not null default '{}',
    selector        jsonb not null,                -- as people read it; the ids of a list of ids are the items
    selector_digest bytea not null,                -- keyed, of act and selector: the credential is spent on nothing else
    reason          text not null default '',
    credential_hash bytea,                         -- SHA-256 of the token or confirm hash; the credential itself is not kept
    state           text not null check (state in ('pending', 'running', 'executed', 'rejected', 'withdrawn', 'expired')),
    minted_by       jsonb not null,
    minted_at       timestamptz not null,
    expires_at      timestamptz not null,
    settled_by      jsonb,                         -- who approved, rejected, withdrew or ran it
    settled_at      timestamptz,
    settle_reason   text not null default '',
    lone_operator   boolean not null default false,   -- approved by the minter's own line, as the tenant allows
    lease_until     timestamptz,                   -- of a run: until then nobody else carries it on
    executed_at     timestamptz,
    check (not hard or op = 'delete')
);
create index proposals_state_idx on proposals (tenant_id, state, minted_at desc, id desc) where kind = 'review';
create index proposals_minter_idx on proposals (tenant_id, (minted_by ->> 'principal'), minted_at desc, id desc) where kind = 'review';
create index proposals_due_idx on proposals (expires_at) where state in ('pending', 'running');
create unique index proposals_credential_idx on proposals (tenant_id, credential_hash) where credential_hash is not null;

-- The frozen set, in the order in which it was asked for. An article has no foreign key: its item outlives it.
create table proposal_items (
    proposal_id uuid not null references proposals on delete cascade,
    tenant_id   uuid not null references tenants on delete cascade,
    position    int not null,
    article_id  uuid not null,
    version     int,                               -- when it was frozen; NULL: no such article, or none that the minter sees
    title       text not null default '',          -- when it was frozen; '' once the article was deleted for good
    outcome     text,                              -- NULL: not yet
    code        text not null default '',          -- why it was skipped or refused
    message     text not null default '',
    done_at     timestamptz,
    primary key (proposal_id, position),
    unique (proposal_id, article_id)
);
create index proposal_items_pending_idx on proposal_items (proposal_id, position) where outcome is null;

-- What a hard delete leaves: enough to know a late copy of what was deleted, nothing of what it said.
create table article_tombstones (
    article_id   uuid primary key,
    tenant_id    uuid not null references tenants on delete cascade,
    owner_agent  text not null default '',         -- whose private article it was; '' of a shared one
    key_hash     bytea,                            -- SHA-256 of the idempotency key
    content_hash text not null,
    versions     int not null,                     -- that it had
    deleted_by   jsonb not null,
    deleted_at   timestamptz not null,
    reason       text not null
);
create index article_tombstones_key_idx on article_tombstones (tenant_id, key_hash) where key_hash is not null;
create index article_tombstones_content_idx on article_tombstones (tenant_id, content_hash);

-- The report of an import keeps no title of what was deleted for good, whoever deletes it.
create index import_files_article_idx on import_files (article_id) where article_id is not null;
create function articles_forget() returns trigger language plpgsql as $$
begin
    update import_files set article_id = null, report = report - '{title,article_id,message,warnings}'::text[] where article_id = old.id;
    update proposal_items set title = '' where article_id = old.id and title <> '';
    return null;
end $$;
create index proposal_items_article_idx on proposal_items (article_id) where title <> '';
create trigger articles_forget after delete on articles for each row execute function articles_forget();

do $$
declare t text;
begin
    foreach t in array array['proposals', 'proposal_items', 'article_tombstones'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy tenant_only on %I to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant())', t);
    end loop;
end $$;
grant select, insert, update, delete on proposals, proposal_items to wiki_app;
grant select, insert on article_tombstones to wiki_app;

---- create above / drop below ----

drop trigger articles_forget on articles;
drop function articles_forget();
drop index import_files_article_idx;
drop table article_tombstones, proposal_items, proposals;
