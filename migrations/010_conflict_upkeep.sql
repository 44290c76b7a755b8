-- Flags that lapse or come again, heat that reaches the queue, links that retire, and a curator's saved views.
alter table conflict_flags
    add column again jsonb,                        -- the verdict that stood, and the texts that changed since: why it came again
    add column lapsed text not null default '',    -- why the flag holds no longer, such as an edit that took the texts apart
    add column lapsed_at timestamptz;

-- A supersedes link retires its target only when a user or a verdict made it so; an agent's link says what the agent thinks.
alter table article_links add column retires boolean not null default false;
update article_links l set retires = true from articles a
where l.relation = 'supersedes' and a.id = l.target_id and a.status = 'superseded';

-- Why a pair needs no judging, or ''. A pair whose flags have all lapsed needs none.
create or replace function conflict_closed(a uuid, b uuid) returns text language sql stable
as $$ select case when 'superseded' = any (array_agg(x.status)) then 'an article was superseded'
                  when 'archived' = any (array_agg(x.status)) then 'an article was archived'
                  else coalesce((select (array_agg(f.lapsed order by f.lapsed_at desc))[1] from conflict_flags f
                                 where f.tenant_id = any (array_agg(x.tenant_id)) and f.first_id = a and f.second_id = b
                                 having bool_and(f.lapsed <> '')), '') end
      from articles x where x.id in (a, b) $$;

-- How pressing a pair is: heat x similarity x age (SPEC §5), heat being the distinct readers of both articles in 90 days, age
-- counted as e^(age / 30 days), so that of two pairs the same one stays ahead for ever. Its logarithm, less what all pairs share
-- at any moment, needs no clock: it can be stored and indexed. An assertion measures no similarity: whoever asserts is sure.
create function conflict_impact(tenant uuid, a uuid, b uuid, similarity double precision, flagged timestamptz, now timestamptz)
returns double precision language sql stable
as $$ select ln((1 + count(distinct coalesce(e.reader, e.principal))) * case when similarity > 0 then similarity else 1 end)
             - extract(epoch from flagged)::double precision / extract(epoch from interval '30 days')::double precision
      from access_events e
      where e.tenant_id = tenant and e.article_id in (a, b) and e.kind = any (string_to_array('get', ',')) and e.at > now - interval '90 days' $$;

-- Heat reaches the queue with the read that changes it: only the first one of a reader does. A pair that is being judged at
-- this moment is passed over: no reader waits for a judge, and the judgement weighs the pair anew.
create function conflict_heat_follow() returns trigger language plpgsql as $$
begin
    with read as (
        select f.tenant_id, f.article_id, max(f.at) as at from fresh f
        where f.kind = any (string_to_array('get', ',')) and not exists (select from access_events o where o.tenant_id = f.tenant_id and o.article_id = f.article_id
            and o.kind = any (string_to_array('get', ',')) and coalesce(o.reader, o.principal) = coalesce(f.reader, f.principal) and o.id < f.id and o.at > f.at - interval '90 days')
        group by 1, 2
    ), heated as (
        select p.tenant_id, p.first_id, p.second_id, read.at from read
        join conflict_pairs p on p.tenant_id = read.tenant_id and (p.first_id = read.article_id or p.second_id = read.article_id)
        where p.state = 'open' and p.closed = ''
        for update of p skip locked
    )
    update conflict_pairs p set impact = conflict_impact(p.tenant_id, p.first_id, p.second_id, p.similarity, p.flagged_at, h.at)
    from heated h where p.tenant_id = h.tenant_id and p.first_id = h.first_id and p.second_id = h.second_id;
    return null;
end $$;
create trigger conflict_heat_follow after insert on access_events referencing new table as fresh
    for each statement execute function conflict_heat_follow();

-- A filter of the queue under a name, each principal's own.
create table conflict_views (
    id         uuid primary key,
    tenant_id  uuid not null references tenants on delete cascade,
    principal  text not null,
    name       text not null,
    filter     jsonb not null,
    updated_at timestamptz not null,
    unique (tenant_id, principal, name)
);
alter table conflict_views enable row level security;
grant select, insert, update, delete on conflict_views to wiki_app;
create policy tenant_only on conflict_views to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant());

---- create above / drop below ----

drop table conflict_views;
drop trigger conflict_heat_follow on access_events;
drop function conflict_heat_follow();
drop function conflict_impact(uuid, uuid, uuid, double precision, timestamptz, timestamptz);
create or replace function conflict_closed(a uuid, b uuid) returns text language sql stable
as $$ select case when 'superseded' = any (array_agg(status)) then 'an article was superseded'
                  when 'archived' = any (array_agg(status)) then 'an article was archived' else '' end
      from articles where id in (a, b) $$;
alter table article_links drop column retires;
alter table conflict_flags drop column again, drop column lapsed, drop column lapsed_at;
