package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"

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
	err = migrator.MigrateTo(ctx, to)
	var badVersion migrate.BadVersionError
	switch {
	case errors.As(err, &badVersion):
		return fmt.Errorf("the database's schema is of another version of this program (%w): use the newest wiki-server", err)
	case err != nil:
		return mapError(ctx, fmt.Errorf("migrate: %w", err), conn.IsClosed())
	}
	return nil
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
