// Package postgres is the one way to the database: pools, transactions that carry the tenant, the errors that leave them,
// and the migrations. Requests run as a role that owns nothing, so that row-level security binds them (SPEC §1).
package postgres

import (
	"log/slog"
	"time"

	"github.com/google/uuid"
)

// AppRole is the database role that tenant transactions run as. It owns no table.
const AppRole = "wiki_app"

// Defaults of Config. They suit a server of two to eight cores; a larger one raises them in its settings.
const (
	DefaultMaxConns         = 16
	DefaultHeavyMaxConns    = 8
	DefaultStatementTimeout = 10 * time.Second
	DefaultHeavyTimeout     = 5 * time.Second
	DefaultHeavyPerTenant   = 4
	// DefaultWait is how long a transaction waits for a free connection, and a heavy read for its tenant's turn, before it
	// is shed with CodeOverloaded. Longer than that, the caller is better served by an answer that says so.
	DefaultWait = 5 * time.Second
)

// Config says which database to use and how much of it. The zero value of a field stands for its default.
type Config struct {
	DSN              string           // login of the tables' owner: a connection string or URL as libpq reads it
	MaxConns         int32            // connections for requests and commands
	HeavyMaxConns    int32            // connections for heavy reads, beside MaxConns
	StatementTimeout time.Duration    // per statement, in every transaction but a heavy read
	HeavyTimeout     time.Duration    // per statement, in a heavy read
	HeavyPerTenant   int              // heavy reads that one tenant may have in flight; more of them wait
	Wait             time.Duration    // for a connection or a turn
	SlowStatement    time.Duration    // a statement that takes as long or longer is logged, without its values; 0 or less = none is
	Log              *slog.Logger     // of slow statements; default slog.Default()
	Now              func() time.Time // the clock; a transaction reads it once
	NewID            func() uuid.UUID // the maker of row ids; version 7, so that they sort by time
}

func (c Config) withDefaults() Config {
	if c.MaxConns == 0 {
		c.MaxConns = DefaultMaxConns
	}
	if c.HeavyMaxConns == 0 {
		c.HeavyMaxConns = DefaultHeavyMaxConns
	}
	if c.StatementTimeout == 0 {
		c.StatementTimeout = DefaultStatementTimeout
	}
	if c.HeavyTimeout == 0 {
		c.HeavyTimeout = DefaultHeavyTimeout
	}
	if c.HeavyPerTenant == 0 {
		c.HeavyPerTenant = DefaultHeavyPerTenant
	}
	if c.Wait == 0 {
		c.Wait = DefaultWait
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		c.NewID = newID
	}
	return c
}

// newID makes a version 7 id. uuid.NewV7 fails only when the system has no randomness, which Go itself treats as fatal.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
