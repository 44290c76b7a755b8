-- Articles, their versions and links; access events; drift.

create table articles (
    id                 uuid primary key,
    tenant_id          uuid references tenants on delete cascade,
    project_id         uuid references projects on delete set null,
    title              text not null check (length(title) between 1 and 500),
    body               text not null check (octet_length(body) <= 500000),
    category           text not null,
    status             text not null check (status in ('draft', 'published', 'archived', 'superseded')),
    scope              text not null check (scope in ('tenant', 'system')),
    slug               text not null check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}[a-z0-9]$'),
    tags               text[] not null default '{}',
    source_type        text,
    source_id          uuid,
    idempotency_key    text check (length(idempotency_key) <= 255),
    metadata           jsonb not null default '{}',
    visibility         text not null default 'shared' check (visibility in ('shared', 'private')),
    owner_agent        text,                      -- who sees a private article: metadata.agent_id, else the creating principal; NULL when shared
    version            int not null default 1,
    created_by         jsonb not null,
    previous_title     text,
    content_hash       text not null,
    content_changed_at timestamptz not null,
    read_day_count     int,
    curated_at         timestamptz,
    curated_by         text,
    suppressed_at      timestamptz,
    suppressed_by      text,
    suppression_reason text,
    staged_draft_at    timestamptz,
    consolidation_retracted_at timestamptz,
    inserted_at        timestamptz not null,
    updated_at         timestamptz not null,
    check ((scope = 'system') = (tenant_id is null)),
    check ((suppressed_at is null) = (suppression_reason is null)),
    check ((suppressed_at is null) = (suppressed_by is null)),
    check ((visibility = 'private') = (owner_agent is not null))
);
-- Titles, keys and slugs are unique among the shared articles, and among the private ones of each owner: a collision with
-- an article that the writer cannot see would tell that it exists.
create unique index articles_active_title_idx on articles (tenant_id, title, coalesce(owner_agent, '')) where status not in ('archived', 'superseded');
create unique index articles_active_system_title_idx on articles (title) where tenant_id is null and status not in ('archived', 'superseded');
create unique index articles_idempotency_key_idx on articles (tenant_id, idempotency_key, coalesce(owner_agent, '')) where idempotency_key is not null;
create unique index articles_tenant_slug_idx on articles (tenant_id, slug, coalesce(owner_agent, '')) where tenant_id is not null;
create unique index articles_system_slug_idx on articles (slug) where tenant_id is null;
create index articles_content_hash_idx on articles (tenant_id, content_hash);
create index articles_list_idx on articles (tenant_id, updated_at desc, id);
create index articles_category_idx on articles (tenant_id, project_id, category);
create index articles_tags_idx on articles using gin (tags);

-- The state before each change: version n of an article is its row here, the newest is the article itself.
create table article_versions (
    article_id  uuid not null references articles on delete cascade,
    tenant_id   uuid references tenants on delete cascade,
    version     int not null,
    title       text not null,
    body        text not null,
    category    text not null,
    status      text not null,
    tags        text[] not null,
    metadata    jsonb not null default '{}',
    reason      text not null,                    -- of the change that ended this version
    changed_by  jsonb not null,                   -- who ended it
    valid_from  timestamptz not null,
    valid_to    timestamptz not null,
    primary key (article_id, version)
);

create table article_links (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    source_id   uuid not null references articles on delete cascade,
    target_id   uuid not null references articles on delete cascade,
    relation    text not null check (relation in ('relates_to', 'derived_from', 'contradicts', 'supersedes', 'potential_conflict')),
    metadata    jsonb not null default '{}',
    inserted_at timestamptz not null,
    check (source_id <> target_id),
    unique (tenant_id, source_id, target_id, relation)
);
create index article_links_target_idx on article_links (tenant_id, target_id, relation);

create table access_events (
    id          bigint generated always as identity primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    article_id  uuid not null,
    key_id      uuid not null,
    principal   text not null,
    kind        text not null check (kind in ('get', 'search', 'context', 'index', 'drill', 'referenced')),
    detail      jsonb not null default '{}',
    at          timestamptz not null
);
create index access_events_article_idx on access_events (tenant_id, article_id, at desc);

-- Submissions that made no row because one stood already and that said something else (SPEC §3, durable drift).
create table drift_events (
    id              uuid primary key,
    tenant_id       uuid not null references tenants on delete cascade,
    article_id      uuid not null references articles on delete cascade,
    article_version int not null,
    title           text not null,
    body            text,                         -- NULL when the submission had no body, or one that was not text
    submission_hash text not null,                -- of title and body as submitted: a writer that repeats itself nightly is one event
    content_drift   boolean not null,
    title_drift     boolean not null,
    submitted_by    jsonb not null,
    state           text not null default 'open' check (state in ('open', 'adopted', 'dismissed')),
    settled_by      jsonb,
    settled_at      timestamptz,
    submitted_at    timestamptz not null
);
create unique index drift_events_open_idx on drift_events (tenant_id, article_id, submission_hash) where state = 'open';
create index drift_events_state_idx on drift_events (tenant_id, state, submitted_at desc, id);

---- create above / drop below ----

drop table drift_events, access_events, article_links, article_versions, articles;
