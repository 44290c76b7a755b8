package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"
	"github.com/riverqueue/river/rivermigrate"

	"wiki/migrations"
)

// Newest asks Migrate for the newest version that this program knows.
const Newest = -1

const versionTable = "public.schema_version"

// Migrate brings the database to a version of the schema: Newest, or a number, down to 0 for none. It prepares
// the database first (see Prepare). Two callers at once take
// turns. report, which may be nil, hears of each step. The connection must be direct: a pooler that shares connections by
// transaction loses the lock that makes callers take turns.
func Migrate(ctx context.Context, dsn string, to int32, report func(string)) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return mapError(ctx, err, true)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := takeTurn(ctx, conn); err != nil {
		return err
	}
	if err := Prepare(ctx, conn); err != nil {
		return err
	}
	migrator, err := newMigrator(ctx, conn, report)
	if err != nil {
		return err
	}
	if to == Newest {
		to = int32(len(migrator.Migrations))
	}
	if to == 0 {
		if err := migrateJobs(ctx, dsn, rivermigrate.DirectionDown); err != nil {
			return err
		}
	}
	newest := to == int32(len(migrator.Migrations))
	err = migrator.MigrateTo(ctx, to)
	var badVersion migrate.BadVersionError
	switch {
	case errors.As(err, &badVersion):
		return fmt.Errorf("the database's schema is of another version of this program (%w): use the newest wiki-server", err)
	case err != nil:
		return mapError(ctx, fmt.Errorf("migrate: %w", err), conn.IsClosed())
	case newest:
		return migrateJobs(ctx, dsn, rivermigrate.DirectionUp)
	}
	return nil
}

const (
	// The turn ends with the connection.
	turnSQL   = `select pg_try_advisory_lock(hashtextextended('wiki migrations', 0))`
	turnEvery = 100 * time.Millisecond
)

// takeTurn waits until no other caller migrates. It asks again and again, since a statement that waits for a lock keeps a
// snapshot, and an index that is built concurrently waits for the end of every snapshot: the two would never end.
func takeTurn(ctx context.Context, conn *pgx.Conn) error {
	for {
		var mine bool
		if err := conn.QueryRow(ctx, turnSQL).Scan(&mine); err != nil || mine {
			return mapError(ctx, err, conn.IsClosed())
		}
		select {
		case <-ctx.Done():
			return mapError(ctx, ctx.Err(), false)
		case <-time.After(turnEvery):
		}
	}
}

// Version gives the schema's version in the database and the newest one that this program knows.
func (db *DB) Version(ctx context.Context) (current, newest int32, err error) {
	names, err := migrate.FindMigrations(migrations.FS)
	if err != nil {
		return 0, 0, fmt.Errorf("read the migrations: %w", err)
	}
	err = db.pool.QueryRow(ctx, "select version from "+versionTable).Scan(&current)
	if undefinedTable(err) {
		err = nil // a database that was never migrated
	}
	return current, int32(len(names)), mapError(ctx, err, false)
}

func undefinedTable(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == stateUndefinedTable
}

func newMigrator(ctx context.Context, conn *pgx.Conn, report func(string)) (*migrate.Migrator, error) {
	migrator, err := migrate.NewMigrator(ctx, conn, versionTable)
	if err != nil {
		return nil, mapError(ctx, fmt.Errorf("read the schema's version: %w", err), conn.IsClosed())
	}
	if err := migrator.LoadMigrations(migrations.FS); err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	if report != nil {
		migrator.OnStart = func(_ int32, name, direction, _ string) { report(direction + " " + name) }
	}
	return migrator, nil
}
