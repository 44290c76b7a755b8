package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"

	"wiki/core/wiki"
	"wiki/migrations"
)

// Newest asks Migrate for the newest version that this program knows.
const Newest = -1

const (
	versionTable = "public.schema_version"

	// Roles belong to the whole cluster, so two databases that migrate at once may both try: the loser finds it made.
	makeRoleSQL = `do $$ begin
		if not exists (select from pg_roles where rolname = 'wiki_app') then create role wiki_app nologin; end if;
	exception when duplicate_object or unique_violation then null; end $$`
	// From PostgreSQL 16 on, who creates a role may grant it but not act as it, until granted.
	joinRoleSQL = `do $$ begin
		if not pg_has_role(current_user, 'wiki_app', 'usage') then execute format('grant wiki_app to %I', current_user); end if;
	end $$`
	extensionSQL = `create extension if not exists vector`
)

// Migrate brings the database to a version of the schema: Newest, or a number, down to 0 for none. It first makes the role
// wiki_app and the extension vector where they are missing, for which dsn's login needs the rights. Two callers at once take
// turns. report, which may be nil, hears of each step. The connection must be direct: a pooler that shares connections by
// transaction loses the lock that makes callers take turns.
func Migrate(ctx context.Context, dsn string, to int32, report func(string)) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return mapError(ctx, err, true)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := prepare(ctx, conn); err != nil {
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

// prepare makes what the migrations build on and what needs more rights than they do.
func prepare(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, makeRoleSQL); err != nil {
		return lacksRight(ctx, err, `create role wiki_app; grant wiki_app to <the wiki's login>`)
	}
	if _, err := conn.Exec(ctx, joinRoleSQL); err != nil {
		return lacksRight(ctx, err, `grant wiki_app to <the wiki's login>`)
	}
	if _, err := conn.Exec(ctx, extensionSQL); err != nil {
		return lacksRight(ctx, err, `create extension vector`)
	}
	return nil
}

// lacksRight tells the operator of an existing PostgreSQL the one statement that its administrator has to run.
func lacksRight(ctx context.Context, err error, statement string) error {
	mapped := mapError(ctx, err, false)
	var coded *wiki.Error
	if errors.As(mapped, &coded) {
		return mapped
	}
	return fmt.Errorf("prepare the database (as its administrator, run %q in it): %w", statement, err)
}
