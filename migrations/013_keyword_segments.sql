-- The keyword lane as packed postings (reference keyword-lane, C2). An article's row in keyword_docs is found through
-- keyword_fresh from the moment it commits, and through the postings of a segment once the upkeep has built one. A row that
-- was replaced or deleted stays in its segment under its old docno, where readers see that the docno is gone.
lock table keyword_docs in share row exclusive mode;   -- writers wait for the copy below; readers do not

create table keyword_fresh (                           -- not in a segment yet
    tenant_id  uuid references tenants on delete cascade,
    docno      bigint not null,
    article_id uuid not null,
    unique nulls not distinct (tenant_id, docno)
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
insert into keyword_fresh (tenant_id, docno, article_id) select tenant_id, docno, article_id from keyword_docs;

create table keyword_segments (
    segment      bigint generated always as identity primary key,
    tenant_id    uuid references tenants on delete cascade,
    docs         int not null,
    total_length bigint not null,
    first_docno  bigint not null,
    last_docno   bigint not null
);
create index keyword_segments_tenant_idx on keyword_segments (tenant_id);

-- No foreign keys: a segment has as many rows as different words, and only the upkeep writes them.
create table keyword_blocks (
    tenant_id uuid,
    term      bigint not null,                         -- a hash of tenant and term, as in keyword_docs.packed
    segment   bigint not null,
    postings  bytea not null,                          -- [docno << 24 | frequency << 16 | length, 8 bytes]*, ascending
    unique nulls not distinct (tenant_id, term, segment)
);
alter table keyword_blocks alter postings set storage external;

-- A tenant's end takes its postings along.
create function keyword_drop_blocks() returns trigger language plpgsql as $$
begin
    delete from keyword_blocks where tenant_id = old.id;
    return old;
end $$;
create trigger keyword_drop_blocks after delete on tenants for each row execute function keyword_drop_blocks();

do $$
declare t text;
begin
    foreach t in array array['keyword_fresh', 'keyword_segments', 'keyword_blocks'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy tenant_only on %I to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant())', t);
        execute format('create policy canon_readable on %I for select to wiki_app using (tenant_id is null)', t);
        execute format('grant select on %I to wiki_app', t);
    end loop;
end $$;
grant insert on keyword_fresh to wiki_app;

drop function keyword_candidates;
drop table keyword_stats, keyword_terms;
alter table keyword_docs drop column terms;            -- and with it its index

---- create above / drop below ----

alter table keyword_docs add terms bigint[];
update keyword_docs set terms = coalesce((
    select array_agg(('x' || encode(substring(packed from i * 9 + 1 for 8), 'hex'))::bit(64)::bigint order by i)
    from generate_series(0, octet_length(packed) / 9 - 1) as i), '{}');
alter table keyword_docs alter terms set not null;
create index keyword_docs_terms_idx on keyword_docs using gin (terms);

create table keyword_terms (
    tenant_id uuid references tenants on delete cascade,
    term      bigint not null,
    df        int not null,
    unique nulls not distinct (tenant_id, term)
);
create table keyword_stats (
    tenant_id    uuid references tenants on delete cascade,
    docs         bigint not null,
    total_length bigint not null,
    counted_to   bigint not null,
    unique nulls not distinct (tenant_id)
);
do $$
declare t text;
begin
    foreach t in array array['keyword_terms', 'keyword_stats'] loop
        execute format('alter table %I enable row level security', t);
        execute format('grant select, insert, update, delete on %I to wiki_app', t);
        execute format('create policy tenant_only on %I to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant())', t);
        execute format('create policy canon_readable on %I for select to wiki_app using (tenant_id is null)', t);
    end loop;
end $$;

create function keyword_candidates(own bigint[], canon bigint[], most int)
returns table (article_id uuid, is_canon boolean, doc_length int, packed bytea)
language sql stable security definer set search_path from current set enable_seqscan = off
as $$
    (select d.article_id, false, d.doc_length, d.packed from keyword_docs d where d.terms && own and (d.tenant_id = wiki_tenant()) is true limit most)
    union all
    (select d.article_id, true, d.doc_length, d.packed from keyword_docs d where d.terms && canon and d.tenant_id is null limit most)
$$;
revoke execute on function keyword_candidates from public;
grant execute on function keyword_candidates to wiki_app;

drop trigger keyword_drop_blocks on tenants;
drop function keyword_drop_blocks;
drop table keyword_blocks, keyword_segments, keyword_fresh;
