package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// answer is a file's answer as it is kept.
type answer struct {
	file File
	hash string // of the text that was answered
	own  bool   // the article is the file's own
}

// run is one import, which several calls may carry on.
type run struct {
	id      uuid.UUID
	tenant  uuid.UUID
	before  map[string]answer // by path, as they were when this call began
	answers map[string]answer // by path, with those that this call gave
}

const (
	openRunSQL = `select id from import_runs where tenant_id = $1 and source = $2 and options = $3 and finished_at is null
order by started_at desc limit 1`
	newRunSQL    = `insert into import_runs (id, tenant_id, source, options, started_by, started_at) values ($1, $2, $3, $4, $5, $6)`
	finishRunSQL = `update import_runs set finished_at = $3 where tenant_id = $1 and id = $2`
	answersSQL   = `select path, file_hash, own, report from import_files where tenant_id = $1 and run_id = $2`
	// The answer needn't be on the disk before the next file: what a power cut takes is asked again.
	noWaitSQL = `select set_config('synchronous_commit', 'off', true)`
	answerSQL = `insert into import_files (run_id, tenant_id, path, file_hash, outcome, article_id, own, report, at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (run_id, path) do update set file_hash = excluded.file_hash, outcome = excluded.outcome,
    article_id = excluded.article_id, own = excluded.own, report = excluded.report, at = excluded.at`
)

// openRun takes up the run of this source and these options that was stopped, or begins one.
func openRun(ctx context.Context, db *postgres.DB, actor wiki.Actor, source string, options Options) (run, error) {
	r := run{tenant: actor.Tenant, before: map[string]answer{}}
	stored, err := json.Marshal(options.stored())
	if err != nil {
		return r, fmt.Errorf("ingest: options: %w", err)
	}
	err = db.Tenant(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		clear(r.before)
		err := tx.QueryRow(ctx, openRunSQL, actor.Tenant, source, stored).Scan(&r.id)
		if errors.Is(err, pgx.ErrNoRows) {
			r.id = tx.NewID()
			_, err = tx.Exec(ctx, newRunSQL, r.id, actor.Tenant, source, stored, actor.Stamp(), tx.Now)
			return err
		}
		if err != nil {
			return err
		}
		return r.load(ctx, tx)
	})
	if err != nil {
		return r, fmt.Errorf("ingest: begin a run: %w", err)
	}
	r.answers = maps.Clone(r.before)
	return r, nil
}

func (r *run) load(ctx context.Context, tx postgres.Tx) error {
	rows, err := tx.Query(ctx, answersSQL, r.tenant, r.id)
	if err != nil {
		return err
	}
	var path string
	var a answer
	var report []byte
	_, err = pgx.ForEachRow(rows, []any{&path, &a.hash, &a.own, &report}, func() error {
		a.file = File{}
		if err := json.Unmarshal(report, &a.file); err != nil {
			return err
		}
		r.before[path] = a
		return nil
	})
	return err
}

// keep stores a file's answer. A crash before it is no loss: the file is asked about again, and its idempotency key finds
// the article that the gate made.
func (r *run) keep(ctx context.Context, db *postgres.DB, a answer) error {
	report, err := json.Marshal(a.file)
	if err != nil {
		return fmt.Errorf("ingest: report of %s: %w", a.file.Path, err)
	}
	err = db.Tenant(ctx, r.tenant, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, noWaitSQL); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, answerSQL, r.id, r.tenant, a.file.Path, a.hash, a.file.Outcome, a.file.Article, a.own, report, tx.Now)
		return err
	})
	if err != nil {
		return fmt.Errorf("ingest: keep the answer of %s: %w", a.file.Path, err)
	}
	r.answers[a.file.Path] = a
	return nil
}

func (r *run) finish(ctx context.Context, db *postgres.DB) error {
	err := db.Tenant(ctx, r.tenant, func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, finishRunSQL, r.tenant, r.id, tx.Now)
		return err
	})
	if err != nil {
		return fmt.Errorf("ingest: finish the run: %w", err)
	}
	return nil
}
