-- What each night's pass took for copies: a copy is retracted only when two nights agree (SPEC §8).
create table nightly_copies (
    tenant_id uuid not null references tenants on delete cascade,
    night     date not null,
    signal    text not null,                      -- wiki.DriftSignal
    member_id uuid not null,
    winner_id uuid not null,
    digest    text not null,                      -- of what the two have in common
    primary key (tenant_id, night, signal, member_id)
);
alter table nightly_copies enable row level security;
grant select, insert, update, delete on nightly_copies to wiki_app;
create policy tenant_only on nightly_copies to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant());

---- create above / drop below ----

drop table nightly_copies;
