-- Conflict flags, verdicts and claims. A pair is stored sorted: first_id < second_id.
create table conflict_flags (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    first_id    uuid not null references articles on delete cascade,
    second_id   uuid not null references articles on delete cascade,
    system      boolean not null,                 -- raised by the rule; false = asserted
    similarity  real not null default 0,          -- cosine
    differing   jsonb not null default '[]',
    evidence    text not null default '',
    flagged_by  jsonb not null,
    flagged_at  timestamptz not null,
    check (first_id < second_id),
    check (system or evidence <> ''),
    unique (tenant_id, first_id, second_id, system)
);
create index conflict_flags_second_idx on conflict_flags (tenant_id, second_id);
create index conflict_flags_queue_idx on conflict_flags (tenant_id, flagged_at desc, id);

-- Every verdict is kept; the newest one of a pair that is neither withdrawn nor reverted is the pair's verdict.
create table conflict_verdicts (
    id               uuid primary key,
    tenant_id        uuid not null references tenants on delete cascade,
    first_id         uuid not null references articles on delete cascade,
    second_id        uuid not null references articles on delete cascade,
    authoritative_id uuid,
    classification   text not null check (classification in ('redundant', 'complementary', 'contradictory')),
    disposition      text not null check (disposition in ('dismiss', 'supersede', 'merge')),
    confidence       text not null check (confidence in ('low', 'medium', 'high')),
    requested_confidence text not null check (requested_confidence in ('low', 'medium', 'high')),
    evidence         text not null default '',
    judged_by        jsonb not null,
    judged_at        timestamptz not null,
    executed_at      timestamptz,
    executed_by      jsonb,
    withdrawn_at     timestamptz,
    reverted_at      timestamptz,
    result           jsonb not null default '{}',
    check (first_id < second_id),
    check (authoritative_id is null or authoritative_id in (first_id, second_id)),
    check ((disposition = 'dismiss') or authoritative_id is not null)
);
create index conflict_verdicts_pair_idx on conflict_verdicts (tenant_id, first_id, second_id, judged_at desc);
create index conflict_verdicts_judge_idx on conflict_verdicts (tenant_id, judged_at desc);

-- A soft claim, so that two curators do not judge one pair. A lapsed one is free.
create table conflict_claims (
    tenant_id  uuid not null references tenants on delete cascade,
    first_id   uuid not null references articles on delete cascade,
    second_id  uuid not null references articles on delete cascade,
    claimed_by jsonb not null,
    expires_at timestamptz not null,
    primary key (tenant_id, first_id, second_id)
);

---- create above / drop below ----

drop table conflict_claims, conflict_verdicts, conflict_flags;
