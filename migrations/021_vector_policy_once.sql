-- The second wall around the vectors asks for the tenant once a statement, not once for each vector that is looked at: of
-- counting 15,000 of them, that took three quarters of the time.
alter policy tenant_only on article_embeddings using (coalesce(tenant_id = (select wiki_tenant()), false));
alter policy canon_writable on article_embeddings using (tenant_id is null and (select wiki_canon()));

---- create above / drop below ----

alter policy tenant_only on article_embeddings using (coalesce(tenant_id = wiki_tenant(), false));
alter policy canon_writable on article_embeddings using (tenant_id is null and wiki_canon());
