-- The second wall (SPEC §1). Requests run as wiki_app, which owns no table: a query that forgets its tenant predicate
-- still sees its own tenant's rows only, and outside a tenant transaction none.
-- wiki_app is made by core/postgres before the migrations run, since creating a role needs rights that a migrator may lack.
grant usage on schema public to wiki_app;
grant execute on function wiki_tenant() to wiki_app;
grant execute on function keyword_candidates to wiki_app;

do $$
declare t text;
begin
    foreach t in array array['projects', 'dispatches', 'api_keys', 'audit_log', 'events', 'article_versions', 'article_links',
        'access_events', 'drift_events', 'conflict_flags', 'conflict_verdicts', 'conflict_pairs', 'conflict_claims', 'import_runs', 'import_files',
        'articles', 'article_embeddings', 'embedding_pending', 'keyword_docs', 'keyword_terms', 'keyword_stats'] loop
        execute format('alter table %I enable row level security', t);
        execute format('grant select, insert, update, delete on %I to wiki_app', t);
        execute format('create policy tenant_only on %I to wiki_app using (tenant_id = wiki_tenant()) with check (tenant_id = wiki_tenant())', t);
    end loop;
    -- System canon has no tenant: every tenant reads it, none writes it.
    foreach t in array array['articles', 'article_versions', 'article_embeddings', 'keyword_docs', 'keyword_terms', 'keyword_stats'] loop
        execute format('create policy canon_readable on %I for select to wiki_app using (tenant_id is null)', t);
    end loop;
end $$;

alter table tenants enable row level security;
grant select on tenants to wiki_app;
create policy own_tenant on tenants for select to wiki_app using (id = wiki_tenant());

-- The audit log is append-only, and versions are never rewritten.
revoke update, delete on audit_log, events, article_versions, access_events from wiki_app;
-- Only keys' own paths touch hashes; requests may list and mint keys of their tenant.
grant usage on all sequences in schema public to wiki_app;

---- create above / drop below ----

do $$
declare p record;
begin
    for p in select policyname, tablename from pg_policies where schemaname = 'public' loop
        execute format('drop policy %I on %I', p.policyname, p.tablename);
        execute format('alter table %I disable row level security', p.tablename);
    end loop;
end $$;
revoke all on all tables in schema public from wiki_app;
revoke all on all sequences in schema public from wiki_app;
revoke execute on function wiki_tenant() from wiki_app;
revoke execute on function keyword_candidates from wiki_app;
revoke usage on schema public from wiki_app;
