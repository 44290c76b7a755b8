package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
)

var databases atomic.Int64

// create clones a database for one test.
func (c *cluster) create(tb testing.TB, template string) string {
	tb.Helper()
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), databases.Add(1))
	// file_copy: 60 to 130 ms against 200 to 260 by wal_log, on a busy machine.
	require.NoError(tb, c.admin(tb.Context(), "create database "+name+" owner "+owner+" template "+template+" strategy file_copy"))
	tb.Cleanup(func() {
		// The test's own context is over by now.
		require.NoError(tb, c.admin(context.Background(), "drop database "+name+" with (force)"))
	})
	return c.dsn(owner, name)
}

// prepare does in a database what its administrator does.
func (c *cluster) prepare(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, c.dsn(superuser, database))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	return postgres.Prepare(ctx, conn)
}

// admin runs statements one by one as the superuser.
func (c *cluster) admin(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, c.dsn(superuser, "postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// ensureTemplate makes the roles and template databases that are missing: one that has what an administrator prepares, and
// one with the schema. They are named after the schema, so that checkouts with different ones share the cluster. The caller
// holds the gate.
func (c *cluster) ensureTemplate(ctx context.Context) error {
	schema, err := postgres.Fingerprint()
	if err != nil {
		return err
	}
	c.empty, c.template = "empty_"+schema, "wiki_"+schema
	have, err := c.databases(ctx)
	if err != nil {
		return err
	}
	if err := c.ensureRoles(ctx); err != nil {
		return err
	}
	if !have[c.empty] {
		if err := c.makeAside(ctx, c.empty, "template0", func(making string) error { return c.prepare(ctx, making) }); err != nil {
			return err
		}
	}
	if have[c.template] {
		return nil
	}
	return c.makeAside(ctx, c.template, c.empty, func(making string) error {
		return postgres.Migrate(ctx, c.dsn(owner, making), postgres.Newest, nil)
	})
}

// makeAside makes a database under another name first, so that a half-made one is never taken for whole.
func (c *cluster) makeAside(ctx context.Context, name, template string, fill func(string) error) error {
	making := "making_" + name
	err := c.admin(ctx, "drop database if exists "+making+" with (force)", "create database "+making+" owner "+owner+" template "+template)
	if err != nil {
		return err
	}
	if err := fill(making); err != nil {
		return err
	}
	return c.admin(ctx, "alter database "+making+" rename to "+name)
}

// ensureRoles makes the two roles as the server's own cluster has them.
func (c *cluster) ensureRoles(ctx context.Context) error {
	return c.admin(ctx, `do $$ begin
		if not exists (select from pg_roles where rolname = 'wiki') then
			create role wiki login;
			create role wiki_app nologin;
			grant wiki_app to wiki;
		end if;
	end $$`)
}

func (c *cluster) databases(ctx context.Context) (map[string]bool, error) {
	conn, err := pgx.Connect(ctx, c.dsn(superuser, "postgres"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(ctx, "select datname from pg_database")
	if err != nil {
		return nil, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	have := make(map[string]bool, len(names))
	for _, name := range names {
		have[name] = true
	}
	return have, err
}
