-- System canon is written by superadmins alone, whose keys belong to no tenant (SPEC §1). Their transaction says so with
-- wiki.canon, and then writes the rows of no tenant and no others; the rest sees canon, as before, and writes none of it.
create function wiki_canon() returns boolean language sql stable
as $$ select coalesce(current_setting('wiki.canon', true), '') = 'on' $$;
grant execute on function wiki_canon() to wiki_app;

do $$
declare t text;
begin
    foreach t in array array['articles', 'article_versions', 'article_embeddings', 'embedding_pending', 'keyword_docs', 'keyword_fresh', 'audit_log'] loop
        execute format('create policy canon_writable on %I to wiki_app using (tenant_id is null and wiki_canon()) with check (tenant_id is null and wiki_canon())', t);
    end loop;
end $$;

-- The namespaces of a tenant's articles, for those of none: NULLs are distinct in the indexes that begin with tenant_id.
create unique index articles_system_key_idx on articles (idempotency_key) where tenant_id is null and idempotency_key is not null;
create unique index audit_log_system_act_key_idx on audit_log (principal, act_key) where tenant_id is null and act_key is not null;

---- create above / drop below ----

drop index audit_log_system_act_key_idx;
drop index articles_system_key_idx;
do $$
declare t text;
begin
    foreach t in array array['articles', 'article_versions', 'article_embeddings', 'embedding_pending', 'keyword_docs', 'keyword_fresh', 'audit_log'] loop
        execute format('drop policy canon_writable on %I', t);
    end loop;
end $$;
revoke execute on function wiki_canon() from wiki_app;
drop function wiki_canon();
