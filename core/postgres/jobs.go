package postgres

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// The queue of background jobs is River's. Its tables belong to the owner; wiki_app has no right to them, so that no request
// can reach a job of another tenant.

// JobDriver lets the job queue work in the database, as the owner. Only the room that runs the queue asks for it.
func (db *DB) JobDriver() *riverpgxv5.Driver { return riverpgxv5.New(db.pool) }

func jobMigrator(pool *pgxpool.Pool) (*rivermigrate.Migrator[pgx.Tx], error) {
	return rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
}

// migrateJobs brings the job queue's tables to the version of the queue's library, or takes them away.
func migrateJobs(ctx context.Context, dsn string, direction rivermigrate.Direction) error {
	pool, err := newPool(ctx, dsn, 1, nil)
	if err != nil {
		return err
	}
	defer pool.Close()
	migrator, err := jobMigrator(pool)
	if err != nil {
		return err
	}
	options := &rivermigrate.MigrateOpts{}
	if direction == rivermigrate.DirectionDown {
		options.TargetVersion = -1 // all of them
	}
	if _, err := migrator.Migrate(ctx, direction, options); err != nil {
		return mapError(ctx, fmt.Errorf("migrate the job queue: %w", err), false)
	}
	return nil
}

// jobSchema is the text of the job queue's migrations.
func jobSchema() (string, error) {
	migrator, err := jobMigrator(nil)
	if err != nil {
		return "", err
	}
	text := ""
	for _, m := range migrator.AllVersions() {
		text += fmt.Sprint(m.Version, m.SQLUp)
	}
	return text, nil
}
