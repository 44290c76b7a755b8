-- Tenants, keys, dispatches, projects, the audit log and the event outbox.
-- Requests run as wiki_app (see core/postgres): it owns nothing, so row-level security binds it. The owner of these tables
-- is the role that migrates; it is used for what crosses tenants (keys, tenants, the nightly pass) and nothing else.

-- The tenant of the running transaction, or NULL: a query outside a tenant transaction sees no tenant's rows.
create function wiki_tenant() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('wiki.tenant_id', true), '')::uuid $$;

create table tenants (
    id            uuid primary key,
    slug          text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$'),
    name          text not null check (name <> ''),
    settings      jsonb not null default '{}',
    lone_operator boolean not null default false,
    suspended_at  timestamptz,
    inserted_at   timestamptz not null
);

create table projects (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    slug        text not null,
    name        text not null,
    repo_url    text,
    inserted_at timestamptz not null,
    unique (tenant_id, slug),
    unique (tenant_id, id)
);

create table dispatches (
    id                 uuid primary key,
    tenant_id          uuid not null references tenants on delete cascade,
    parent_dispatch_id uuid references dispatches on delete cascade,
    minted_by_key_id   uuid not null,
    agent_id           text,
    role               text not null check (role in ('agent', 'orchestrator', 'user')),
    lineage            uuid[] not null,          -- the root key's origin, then the dispatches down to this one
    expires_at         timestamptz not null,
    revoked_at         timestamptz,
    inserted_at        timestamptz not null
);
create index dispatches_lineage_idx on dispatches using gin (lineage);
create index dispatches_tenant_idx on dispatches (tenant_id, inserted_at desc);

create table api_keys (
    id           uuid primary key,
    tenant_id    uuid references tenants on delete cascade,   -- NULL only for a superadmin
    name         text not null,
    key_hash     text not null unique check (length(key_hash) = 64),
    key_prefix   text not null,
    role         text not null check (role in ('agent', 'orchestrator', 'user', 'superadmin')),
    agent_id     text,
    dispatch_id  uuid references dispatches on delete cascade,
    origin_id    uuid,                            -- the first key of a chain of rotations; NULL: this one
    successor_id uuid,                            -- the key that replaced this one
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    inserted_at  timestamptz not null,
    check ((role = 'superadmin') = (tenant_id is null))
);
create index api_keys_tenant_idx on api_keys (tenant_id, inserted_at desc);

-- A key's role never changes: a wider key is a new key.
create function api_keys_role_is_fixed() returns trigger language plpgsql as $$
begin
    if new.role <> old.role or new.tenant_id is distinct from old.tenant_id then
        raise exception 'the role and tenant of a key are fixed';
    end if;
    return new;
end $$;
create trigger api_keys_role_is_fixed before update on api_keys for each row execute function api_keys_role_is_fixed();

-- Every act on content, in the act's own transaction. act_key is the caller's idempotency key for the act: a repeat finds
-- the first one's result here instead of acting again.
create table audit_log (
    id          bigint generated always as identity primary key,
    tenant_id   uuid references tenants on delete cascade,
    principal   text not null,
    key_id      uuid not null,
    role        text not null,
    lineage     uuid[] not null default '{}',
    act         text not null,
    subject     uuid,                             -- article, verdict, key ... that was acted on
    detail      jsonb not null default '{}',      -- never a body, never a key
    act_key     text check (length(act_key) <= 255),
    result      jsonb,
    at          timestamptz not null
);
create unique index audit_log_act_key_idx on audit_log (tenant_id, principal, act_key) where act_key is not null;
create index audit_log_tenant_idx on audit_log (tenant_id, id desc);
create index audit_log_subject_idx on audit_log (tenant_id, subject, id desc);

-- What changed, for the event stream and webhooks; written in the act's transaction.
create table events (
    id          bigint generated always as identity primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    kind        text not null,
    subject     uuid,
    payload     jsonb not null default '{}',
    xact        xid8 not null default pg_current_xact_id(),   -- the stream's order: see core/events
    at          timestamptz not null
);
create index events_tenant_idx on events (tenant_id, xact, id);

---- create above / drop below ----

drop table events, audit_log, api_keys, dispatches, projects, tenants;
drop function api_keys_role_is_fixed();
drop function wiki_tenant();
