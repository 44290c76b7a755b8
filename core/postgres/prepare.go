package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"

	"wiki/core/wiki"
	"wiki/migrations"
)

const (
	// Roles belong to the whole cluster, so two databases that are prepared at once may both try: the loser finds it made.
	makeRoleSQL = `do $$ begin
		if not exists (select from pg_roles where rolname = 'wiki_app') then create role wiki_app nologin; end if;
	exception when duplicate_object or unique_violation then null; end $$`
	// From PostgreSQL 16 on, who creates a role may grant it but not act as it, until granted.
	joinRoleSQL = `do $$ begin
		if not pg_has_role(current_user, 'wiki_app', 'usage') then execute format('grant wiki_app to %I', current_user); end if;
	end $$`
	extensionSQL = `create extension if not exists vector`
	// Under row-level security the planner may use an index only for operators marked leakproof, and those of arrays are
	// not: each search by term or tag would read all of the tenant (measured: 2,000 rows, 10 ms against 2 ms). They tell
	// nothing but their result for the element types in use here (bigint and text, whose own comparisons are leakproof).
	leakproofSQL = `do $$ begin
		if (select rolsuper from pg_roles where rolname = current_user) then
			alter function arrayoverlap(anyarray, anyarray) leakproof;
			alter function arraycontains(anyarray, anyarray) leakproof;
		end if;
	end $$`
)

// prepareSteps are run in this order; each does nothing where it has been done.
var prepareSteps = []struct{ sql, remedy string }{
	{makeRoleSQL, "create role wiki_app; grant wiki_app to <the wiki's login>"},
	{joinRoleSQL, "grant wiki_app to <the wiki's login>"},
	{extensionSQL, "create extension vector"},
	{leakproofSQL, "alter function arrayoverlap(anyarray, anyarray) leakproof; alter function arraycontains(anyarray, anyarray) leakproof"},
}

// Prepare makes what the migrations build on and what needs more rights than they do: the role wiki_app, the extension
// vector, and, by a superuser only, index use under row-level security. What is there already stays. A login that lacks a
// right gets an error with the statement for its administrator.
func Prepare(ctx context.Context, conn *pgx.Conn) error {
	for _, step := range prepareSteps {
		if _, err := conn.Exec(ctx, step.sql); err != nil {
			return lacksRight(ctx, err, step.remedy)
		}
	}
	return nil
}

func lacksRight(ctx context.Context, err error, statement string) error {
	mapped := mapError(ctx, err, false)
	var coded *wiki.Error
	if errors.As(mapped, &coded) {
		return mapped
	}
	return fmt.Errorf("prepare the database (as its administrator, run %q in it): %w", statement, err)
}

// Fingerprint is a short name for the schema that this program makes: two programs with the same one make the same.
func Fingerprint() (string, error) {
	sum := sha256.New()
	for _, step := range prepareSteps {
		sum.Write([]byte(step.sql))
	}
	jobs, err := jobSchema()
	if err != nil {
		return "", err
	}
	sum.Write([]byte(jobs))
	names, err := fs.Glob(migrations.FS, "*.sql")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		body, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return "", err
		}
		sum.Write(append([]byte(name), body...))
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}
