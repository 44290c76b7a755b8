-- Whether a second reader of a pair is kept from what the first one said until it has judged for itself (case 89).
alter table tenants add column blind_review boolean not null default false;

---- create above / drop below ----

alter table tenants drop column blind_review;
