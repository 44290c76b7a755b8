-- What the nightly consumers go through: a tenant's articles that a ranked read may offer, by id.
create index articles_sweep_idx on articles (tenant_id, id) where status = 'published' and suppressed_at is null;

---- create above / drop below ----

drop index articles_sweep_idx;
