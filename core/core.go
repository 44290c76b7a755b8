// Package core composes the services into one value. Surfaces (HTTP, the commands, tests) call it and nothing below it.
package core

import (
	"context"
	"log/slog"

	"wiki/core/access"
	"wiki/core/articles"
	"wiki/core/embedding"
	"wiki/core/postgres"
)

// Config says what the core is made of. A zero field takes its default.
type Config struct {
	Database postgres.Config
	Access   access.Settings
	Embedder embedding.Embedder    // nil = the built-in model
	Guard    embedding.GuardConfig // bounds every call of the embedder
	Log      *slog.Logger          // default slog.Default()
}

// Core is the wiki without a surface. Its services are safe for use by several goroutines.
type Core struct {
	DB       *postgres.DB
	Access   *access.Service
	Articles articles.Reader
	Audit    AuditLog
	Events   EventLog
}

// Open connects to the database and composes the services; the database has to be migrated already. Errors are those of
// postgres.Open and embedding.BuiltIn. The caller closes the core.
func Open(ctx context.Context, c Config) (*Core, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	db, err := postgres.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	return New(db, c)
}

// New composes the services over an open database, which the core then owns.
func New(db *postgres.DB, c Config) (*Core, error) {
	return &Core{
		DB: db, Access: access.New(db, c.Access), Articles: articles.Reader{DB: db}, Audit: AuditLog{db}, Events: EventLog{db},
	}, nil
}

// Close ends the database connections; calls in flight fail.
func (c *Core) Close() { c.DB.Close() }
