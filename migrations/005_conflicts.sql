-- Conflict flags, verdicts and claims. A pair is stored sorted: first_id < second_id.
create table conflict_flags (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    first_id    uuid not null references articles on delete cascade,
    second_id   uuid not null references articles on delete cascade,
    system      boolean not null,                 -- raised by the rule; false = asserted
    similarity  double precision not null default 0,   -- cosine
    differing   jsonb not null default '[]',
    evidence    text not null default '',
    flagged_by  jsonb not null,
    flagged_at  timestamptz not null,
    check (first_id < second_id),
    check (system or evidence <> '')
);
-- One system flag a pair, and one assertion a principal: a second asserter never wipes out who the first one was.
create unique index conflict_flags_system_idx on conflict_flags (tenant_id, first_id, second_id) where system;
create unique index conflict_flags_asserted_idx on conflict_flags (tenant_id, first_id, second_id, (flagged_by ->> 'principal')) where not system;
create index conflict_flags_second_idx on conflict_flags (tenant_id, second_id);

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
    refused_at       timestamptz,                 -- execution found that it cannot be applied; result says why
    replaced_by      uuid,                        -- a later verdict on the pair
    result           jsonb not null default '{}',
    check (first_id < second_id),
    check (authoritative_id is null or authoritative_id in (first_id, second_id)),
    check ((disposition = 'dismiss') or authoritative_id is not null)
);
create index conflict_verdicts_pair_idx on conflict_verdicts (tenant_id, first_id, second_id, judged_at desc);
create index conflict_verdicts_judge_idx on conflict_verdicts (tenant_id, (judged_by ->> 'principal'), judged_at desc, id desc);
create index conflict_verdicts_waiting_idx on conflict_verdicts (tenant_id, judged_at, id)
    where executed_at is null and withdrawn_at is null and refused_at is null and replaced_by is null
      and (disposition <> 'supersede' or confidence = 'high');

-- The queue's row of a pair: what its flags and verdicts amount to (wiki.Conflict), kept by core/flags in the transaction
-- that changes one of them, so that a page of the queue is an index scan whatever its length. Its lock is the pair's lock.
create table conflict_pairs (
    tenant_id  uuid not null references tenants on delete cascade,
    first_id   uuid not null references articles on delete cascade,
    second_id  uuid not null references articles on delete cascade,
    state      text not null check (state in ('open', 'judged', 'settled')),
    closed     text not null default '',          -- why the pair needs no judging any more; kept by the trigger below
    flag_id    uuid not null,                     -- the flag that is shown
    system     boolean not null,                  -- of that flag, as are the next three
    similarity double precision not null,
    flagged_by text not null,
    flagged_at timestamptz not null,
    verdict_id uuid,                              -- the verdict that is shown
    impact     double precision not null,         -- see core/flags: needs no clock, so that the order is an index's
    primary key (tenant_id, first_id, second_id),
    check (first_id < second_id)
);
create index conflict_pairs_second_idx on conflict_pairs (tenant_id, second_id);
create index conflict_pairs_impact_idx on conflict_pairs (tenant_id, state, impact desc, first_id desc, second_id desc) where closed = '';
create index conflict_pairs_age_idx on conflict_pairs (tenant_id, state, flagged_at desc, first_id desc, second_id desc) where closed = '';
create index conflict_pairs_done_idx on conflict_pairs (tenant_id, flagged_at desc, first_id desc, second_id desc) where state = 'settled' or closed <> '';

-- Why a pair needs no judging, or ''.
create function conflict_closed(a uuid, b uuid) returns text language sql stable
as $$ select case when 'superseded' = any (array_agg(status)) then 'an article was superseded'
                  when 'archived' = any (array_agg(status)) then 'an article was archived' else '' end
      from articles where id in (a, b) $$;

-- Whoever changes an article's status closes or reopens its pairs: no writer can forget to.
create function conflict_pairs_follow() returns trigger language plpgsql as $$
begin
    update conflict_pairs set closed = conflict_closed(first_id, second_id)
    where tenant_id = new.tenant_id and (first_id = new.id or second_id = new.id);
    return null;
end $$;
create trigger conflict_pairs_follow after update of status on articles for each row
    when (old.status is distinct from new.status) execute function conflict_pairs_follow();

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

drop trigger conflict_pairs_follow on articles;
drop function conflict_pairs_follow();
drop function conflict_closed(uuid, uuid);
drop table conflict_claims, conflict_pairs, conflict_verdicts, conflict_flags;
