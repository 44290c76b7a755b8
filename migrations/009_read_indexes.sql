---- tern: disable-tx ----
-- Built without locking writers out, so outside a transaction. An index that an earlier try left unfinished is dropped first.
drop index concurrently if exists articles_newest_idx;
create index concurrently articles_newest_idx on articles (tenant_id, inserted_at desc, id desc);
drop index concurrently if exists access_events_kind_idx;
create index concurrently access_events_kind_idx on access_events (tenant_id, kind, at);

---- create above / drop below ----
---- tern: disable-tx ----

drop index concurrently if exists access_events_kind_idx;
drop index concurrently if exists articles_newest_idx;
