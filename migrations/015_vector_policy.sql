-- The second wall around the vectors, built so that no index serves it. A condition of the wall that an index can serve is a
-- path of its own: the planner then reads and sorts all vectors of a tenant that is too large for that, where a walk of the
-- nearest-neighbour index was asked for. Every statement names its tenant itself, and is served by that. Of coalesce the planner knows nothing, so
-- the wall does not count a second time how few rows a tenant has.
alter policy tenant_only on article_embeddings using (coalesce(tenant_id = wiki_tenant(), false));
alter policy canon_readable on article_embeddings using (coalesce(tenant_id is null, false));

---- create above / drop below ----

alter policy tenant_only on article_embeddings using (tenant_id = wiki_tenant());
alter policy canon_readable on article_embeddings using (tenant_id is null);
