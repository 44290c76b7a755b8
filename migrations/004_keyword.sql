-- The keyword lane: BM25 over terms that core/keyword analyses, kept in the article's own transaction.
-- packed is what scoring reads; terms is what finds candidates. Term ids are 64-bit hashes of tenant and term, so one
-- tenant's rare word never walks another tenant's postings.
create table keyword_docs (
    article_id uuid primary key references articles on delete cascade,
    tenant_id  uuid references tenants on delete cascade,
    docno      bigint generated always as identity,   -- a new one at every change: what is above counted_to is not counted yet
    doc_length int not null,                      -- terms in title and body
    terms      bigint[] not null,
    packed     bytea not null                     -- sorted [8-byte term id, 1-byte frequency]*
);
alter table keyword_docs alter packed set storage main;
create index keyword_docs_terms_idx on keyword_docs using gin (terms);
create index keyword_docs_docno_idx on keyword_docs (tenant_id, docno);

-- Document frequency and totals per tenant. They may lag: a factor of ten costs 0.004 nDCG (measured).
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
    counted_to   bigint not null,                 -- the highest docno in the counts
    unique nulls not distinct (tenant_id)
);

-- The rows of the running tenant that hold any of the terms in own, and those of system canon that hold any in canon, at
-- most most of each. It runs as the owner: under row-level security PostgreSQL may not use an index for an operator that it
-- does not hold to be leak-proof, && among them, and would read every row of the tenant. The second wall stands all the
-- same, since the tenant is the transaction's own and no argument. "is true" keeps the planner from the tenant's index, and
-- the setting from reading the table through: it takes && for one comparison, where it is one for each pair of elements.
create function keyword_candidates(own bigint[], canon bigint[], most int)
returns table (article_id uuid, is_canon boolean, doc_length int, packed bytea)
language sql stable security definer set search_path from current set enable_seqscan = off
as $$
    (select d.article_id, false, d.doc_length, d.packed from keyword_docs d where d.terms && own and (d.tenant_id = wiki_tenant()) is true limit most)
    union all
    (select d.article_id, true, d.doc_length, d.packed from keyword_docs d where d.terms && canon and d.tenant_id is null limit most)
$$;
revoke execute on function keyword_candidates from public;

---- create above / drop below ----

drop function keyword_candidates;
drop table keyword_stats, keyword_terms, keyword_docs;
