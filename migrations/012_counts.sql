-- What all servers count together: calls against the rate limits, and what became of writes.

-- Calls by key and by tenant (id is either's) in windows of fixed length. Unlogged: after a crash the count begins anew.
-- Only the owner touches it, as keys are resolved.
create unlogged table rate_counts (
    id          uuid not null,
    starts_at   timestamptz not null,
    calls       int not null,
    primary key (id, starts_at)
);
alter table rate_counts enable row level security;

-- Answers to proposals, by day and outcome. A stripe keeps writers of one tenant from waiting for each other's commit.
create table write_counts (
    tenant_id      uuid not null references tenants on delete cascade,
    day            date not null,                 -- UTC
    source_type    text not null,                 -- '' = none
    outcome        text not null,                 -- a verdict of the gate, or the code of a refusal
    stripe         smallint not null,
    writes         bigint not null default 0,
    content_drifts bigint not null default 0,     -- of the writes: those that said something else than what stands
    title_drifts   bigint not null default 0,
    primary key (tenant_id, day, source_type, outcome, stripe)
);
alter table write_counts enable row level security;
grant select, insert, update on write_counts to wiki_app;
create policy tenant_only on write_counts to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant());

---- create above / drop below ----

drop table write_counts, rate_counts;
