-- Imports: a run and the answer each file got, so that a run that was stopped goes on where it was.
create table import_runs (
    id          uuid primary key,
    tenant_id   uuid not null references tenants on delete cascade,
    source      text not null,                    -- names the folder: its absolute path, unless the operator gave it a name
    options     jsonb not null,                   -- a run that was stopped is taken up with the same options only
    started_by  jsonb not null,
    started_at  timestamptz not null,
    finished_at timestamptz
);
create index import_runs_source_idx on import_runs (tenant_id, source, started_at desc);

create table import_files (
    run_id      uuid not null references import_runs on delete cascade,
    tenant_id   uuid not null references tenants on delete cascade,
    path        text not null,                    -- relative, with slashes
    file_hash   text not null,                    -- SHA-256 of the text: a changed file is answered again
    outcome     text not null,                    -- a verdict of the gate, title_conflict, or failed
    article_id  uuid,                             -- made of the file, or what stands in its place
    own         boolean not null default false,   -- the article is the file's own: made of it now or in an earlier run
    report      jsonb not null,                   -- the answer as the report shows it
    at          timestamptz not null,
    primary key (run_id, path)
);

---- create above / drop below ----

drop table import_files, import_runs;
