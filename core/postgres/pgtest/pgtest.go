// Package pgtest gives tests a real PostgreSQL: each New is a fresh, migrated database. The cluster behind it is thrown
// away: one a machine user, started by the first test process that asks, shared by all, stopped by itself soon after the
// last one. Run core/postgres/embedded/install.sh once to have the binaries, or point WIKI_PG_BIN at some with pgvector.
package pgtest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/wiki"
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
	// patience stands for the production timeouts and waits: a busy machine is no reason for a test to fail.
	patience = 2 * time.Minute
)

// New gives a database with the newest schema and no rows. It's dropped when the test ends.
func New(tb testing.TB) *postgres.DB {
	tb.Helper()
	return Open(tb, postgres.Config{DSN: DSN(tb)})
}

// Open is postgres.Open with few connections and much patience, closed when the test ends: for a test that sets a clock or
// a limit.
func Open(tb testing.TB, config postgres.Config) *postgres.DB {
	tb.Helper()
	if config.MaxConns == 0 {
		config.MaxConns = maxConns
	}
	if config.HeavyMaxConns == 0 {
		config.HeavyMaxConns = heavyMaxConns
	}
	for _, limit := range []*time.Duration{&config.Wait, &config.StatementTimeout, &config.HeavyTimeout} {
		if *limit == 0 {
			*limit = patience
		}
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
	return c.create(tb, c.template)
}

// Empty is DSN for a database that was never migrated.
func Empty(tb testing.TB) string {
	tb.Helper()
	c := require1(tb)(shared())
	return c.create(tb, c.empty)
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

// Number gives the one number that a statement of the owner answers, such as a count.
func Number(tb testing.TB, db *postgres.DB, sql string, args ...any) (n int) {
	tb.Helper()
	require.NoError(tb, db.System(context.WithoutCancel(tb.Context()), func(ctx context.Context, tx postgres.Tx) error {
		return tx.QueryRow(ctx, sql, args...).Scan(&n)
	}))
	return n
}

// require1 unwraps a value that came with an error.
func require1(tb testing.TB) func(*cluster, error) *cluster {
	return func(c *cluster, err error) *cluster {
		tb.Helper()
		require.NoError(tb, err, "a PostgreSQL for the tests")
		return c
	}
}
