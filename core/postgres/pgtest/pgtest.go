// Package pgtest gives tests a real PostgreSQL: each New is a fresh, migrated database. The cluster behind it is thrown
// away: one a machine user, started by the first test process that asks, shared by all, stopped by itself soon after the
// last one. Run core/postgres/embedded/install.sh once to have the binaries, or point WIKI_PG_BIN at some with pgvector.
package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/wiki"
	"wiki/migrations"
)

const (
	superuser = "postgres"
	// owner is the login that owns the tables, as in production: no superuser, so that rights count.
	owner = "wiki"
)

// Tests run many at once, so each takes few connections.
const (
	maxConns      = 8
	heavyMaxConns = 4
)

// New gives a database with the newest schema and no rows. It's dropped when the test ends.
func New(tb testing.TB) *postgres.DB {
	tb.Helper()
	return Open(tb, postgres.Config{DSN: DSN(tb)})
}

// Open is postgres.Open with few connections, closed when the test ends: for a test that sets a clock or a limit.
func Open(tb testing.TB, config postgres.Config) *postgres.DB {
	tb.Helper()
	if config.MaxConns == 0 {
		config.MaxConns = maxConns
	}
	if config.HeavyMaxConns == 0 {
		config.HeavyMaxConns = heavyMaxConns
	}
	db, err := postgres.Open(tb.Context(), config)
	require.NoError(tb, err)
	tb.Cleanup(db.Close)
	return db
}

// DSN is New for a program that connects by itself: the owner's login to a fresh, migrated database.
func DSN(tb testing.TB) string {
	tb.Helper()
	c := require1(tb)(shared())
	return c.create(tb, c.template())
}

// Empty is DSN for a database that was never migrated.
func Empty(tb testing.TB) string {
	tb.Helper()
	c := require1(tb)(shared())
	return c.create(tb, emptyTemplate)
}

// Superuser gives a superuser's connection to the database of an owner's DSN, for what only an administrator does.
func Superuser(tb testing.TB, dsn string) *pgx.Conn {
	tb.Helper()
	config, err := pgx.ParseConfig(dsn)
	require.NoError(tb, err)
	config.User = superuser
	conn, err := pgx.ConnectConfig(tb.Context(), config)
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Tenant makes a tenant and gives a user of it.
func Tenant(tb testing.TB, db *postgres.DB) wiki.Actor {
	tb.Helper()
	tenant := uuid.New()
	require.NoError(tb, db.System(tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into tenants (id, slug, name, inserted_at) values ($1, $2, $3, $4)`,
			tenant, "t-"+tenant.String(), "Test tenant", tx.Now)
		return err
	}))
	return Actor(tb, db, tenant, wiki.RoleUser, "")
}

// Actor makes a key of a tenant and gives who acts with it. agentID may be empty.
func Actor(tb testing.TB, db *postgres.DB, tenant uuid.UUID, role wiki.Role, agentID string) wiki.Actor {
	tb.Helper()
	actor := wiki.Actor{Tenant: tenant, Key: uuid.New(), Agent: agentID, Role: role}
	require.NoError(tb, db.System(tb.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into api_keys (id, tenant_id, name, key_hash, key_prefix, role, agent_id, inserted_at)
			values ($1, $2, 'test', $3, 'wk_test0', $4, nullif($5, ''), $6)`,
			actor.Key, tenant, fmt.Sprintf("%x", sha256.Sum256(actor.Key[:])), role.String(), agentID, tx.Now)
		return err
	}))
	return actor
}

// require1 unwraps a value that came with an error.
func require1(tb testing.TB) func(*cluster, error) *cluster {
	return func(c *cluster, err error) *cluster {
		tb.Helper()
		require.NoError(tb, err, "a PostgreSQL for the tests")
		return c
	}
}

var databases atomic.Int64

// create clones a database for one test.
func (c *cluster) create(tb testing.TB, template string) string {
	tb.Helper()
	name := fmt.Sprintf("t_%d_%d", os.Getpid(), databases.Add(1))
	require.NoError(tb, c.admin(tb.Context(), "create database "+name+" owner "+owner+" template "+template+" strategy file_copy"))
	tb.Cleanup(func() {
		// The test's own context is over by now.
		require.NoError(tb, c.admin(context.Background(), "drop database "+name+" with (force)"))
	})
	return c.dsn(owner, name)
}

// admin runs statements one by one as the superuser.
func (c *cluster) admin(ctx context.Context, statements ...string) error {
	return c.exec(ctx, c.dsn(superuser, "postgres"), statements...)
}

func (c *cluster) exec(ctx context.Context, dsn string, statements ...string) error {
	conn, err := pgx.Connect(ctx, dsn)
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

// emptyTemplate has what an administrator prepares, and no schema.
const emptyTemplate = "wiki_empty"

// template is named after the migrations, so that two checkouts with different ones share the cluster.
func (c *cluster) template() string { return "wiki_" + schemaHash() }

// ensureTemplate makes the roles and template databases that are missing. The caller holds the gate.
func (c *cluster) ensureTemplate(ctx context.Context) error {
	have, err := c.databases(ctx)
	if err != nil {
		return err
	}
	if !have[emptyTemplate] {
		err := c.admin(ctx, "drop database if exists making_empty", "drop role if exists "+owner, "drop role if exists "+postgres.AppRole,
			"create role "+owner+" login", "create role "+postgres.AppRole+" nologin", "grant "+postgres.AppRole+" to "+owner,
			"create database making_empty owner "+owner)
		if err != nil {
			return err
		}
		if err := c.exec(ctx, c.dsn(superuser, "making_empty"), "create extension vector"); err != nil {
			return err
		}
		if err := c.admin(ctx, "alter database making_empty rename to "+emptyTemplate); err != nil {
			return err
		}
	}
	if have[c.template()] {
		return nil
	}
	// Made aside and renamed, so that a half-made one is never taken for whole.
	making := "making_" + schemaHash()
	if err := c.admin(ctx, "drop database if exists "+making+" with (force)", "create database "+making+" owner "+owner+" template "+emptyTemplate); err != nil {
		return err
	}
	if err := postgres.Migrate(ctx, c.dsn(owner, making), postgres.Newest, nil); err != nil {
		return err
	}
	return c.admin(ctx, "alter database "+making+" rename to "+c.template())
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

func schemaHash() string {
	var all []byte
	// The embedded file system cannot fail to read itself.
	_ = fs.WalkDir(migrations.FS, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(migrations.FS, path)
		all = append(append(all, path...), body...)
		return err
	})
	return hash(string(all))
}

// hash is a short name for a long text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
