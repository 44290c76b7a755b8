-- Embeddings, apart from the articles so that the nearest-neighbour scan reads a narrow relation. Section 0 is the whole
-- text (the gate compares whole with whole); sections 1.. are overlapping parts of a long one (search finds the tail).
-- A query compares vectors of one model only.
create table article_embeddings (
    article_id   uuid not null references articles on delete cascade,
    tenant_id    uuid,                            -- NULL for system canon
    model        text not null,
    section      int not null,
    dims         int not null,
    content_hash text not null,                   -- of the embedded text: a retry skips the provider
    embedding    halfvec not null,
    inserted_at  timestamptz not null,
    primary key (article_id, model, section),
    check (dims = vector_dims(embedding))
);
create index article_embeddings_tenant_idx on article_embeddings (tenant_id, model, section);

-- Articles whose text has no vector yet: the provider was down when they were written.
create table embedding_pending (
    article_id uuid primary key references articles on delete cascade,
    tenant_id  uuid,
    since      timestamptz not null
);

---- create above / drop below ----

drop table embedding_pending, article_embeddings;
