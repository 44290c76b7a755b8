-- The nightly pass (SPEC §8): its passes, what each consumer did in one, and the switches that pause a consumer.
create table nightly_passes (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    night       date not null,
    started_by  jsonb not null,
    started_at  timestamptz not null,
    finished_at timestamptz,
    cut         text not null default '',         -- why it ended before its end; '' = it did not
    spent_ms    bigint not null default 0,        -- of work, over all its turns
    turns       int not null default 0,           -- how often it was taken up
    holder      uuid,                             -- the turn that works on it, until the lease ends
    lease_until timestamptz
);
-- One pass of a tenant at a time, however many servers look.
create unique index nightly_passes_open_idx on nightly_passes (tenant_id) where finished_at is null;
create index nightly_passes_tenant_idx on nightly_passes (tenant_id, night desc, started_at desc);

create table nightly_steps (
    pass_id     uuid not null references nightly_passes on delete cascade,
    tenant_id   uuid not null references tenants on delete cascade,
    consumer    text not null,
    place       int not null,                     -- in the order of the pass
    offered     int not null default 0,
    applied     int not null default 0,
    refused     int not null default 0,
    withheld    int not null default 0,
    failed      int not null default 0,
    gate        text not null default '',         -- wiki.Gate; '' = not reached
    cursor      text not null default '',         -- where the consumer is
    spent_ms    bigint not null default 0,
    items       jsonb not null default '[]',      -- what was refused, withheld or failed: ids and codes, some of them
    started_at  timestamptz,
    finished_at timestamptz,
    primary key (pass_id, consumer)
);
create index nightly_steps_consumer_idx on nightly_steps (tenant_id, consumer, started_at desc);

create table nightly_switches (
    tenant_id uuid not null references tenants on delete cascade,
    consumer  text not null,
    paused_by jsonb not null,
    paused_at timestamptz not null,
    reason    text not null,
    primary key (tenant_id, consumer)
);

do $$
declare t text;
begin
    foreach t in array array['nightly_passes', 'nightly_steps', 'nightly_switches'] loop
        execute format('alter table %I enable row level security', t);
        execute format('grant select, insert, update, delete on %I to wiki_app', t);
        execute format('create policy tenant_only on %I to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant())', t);
    end loop;
end $$;
revoke delete on nightly_passes, nightly_steps from wiki_app;

---- create above / drop below ----

drop table nightly_switches, nightly_steps, nightly_passes;
