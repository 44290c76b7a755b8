// Package core composes the services into one value. Surfaces (HTTP, the commands, tests) call it and nothing below it.
package core

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"wiki/core/access"
	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/ingest"
	"wiki/core/keyword"
	"wiki/core/llm"
	"wiki/core/nightly"
	"wiki/core/postgres"
	"wiki/core/proposals"
	"wiki/core/record"
	"wiki/core/search"
	"wiki/core/usage"
	"wiki/core/vectors"
)

// Config says what the core is made of. A zero field takes its default.
type Config struct {
	Database postgres.Config
	Access   access.Settings
	Embedder embedding.Embedder    // nil = the built-in model
	Guard    embedding.GuardConfig // bounds every call of the embedder
	Search   search.Settings       // without a Pool = search.DefaultSettings
	LLM      *llm.Chat             // writes the texts of merges; nil = none, and they are structural
	Lease    time.Duration         // of a claim on a conflict
	Bulk     proposals.Settings    // bounds set-based acts
	Nightly  nightly.Settings      // when the nightly pass runs, and for how long
	Log      *slog.Logger          // default slog.Default()
}

// Core is the wiki without a surface. Its services are safe for use by several goroutines.
type Core struct {
	DB        *postgres.DB
	Embedder  *embedding.Guarded
	Access    *access.Service
	Articles  articles.Reader
	Record    record.Service
	Gate      gate.Service
	Conflicts conflicts.Service
	Proposals *proposals.Service
	Search    *search.Service
	Ingest    ingest.Importer
	Usage     usage.Recorder
	Nightly   *nightly.Service
	Index     MeaningIndex
	Audit     AuditLog
	Events    EventLog
	Backlogs  Backlogs
	CursorKey []byte // shared by all servers on the database: what one has signed, each of them knows
}

// Open connects to the database and composes the services; the database has to be migrated already. Errors are those of
// postgres.Open, embedding.BuiltIn and vectors.EnsureIndex. The caller closes the core.
func Open(ctx context.Context, c Config) (*Core, error) {
	db, err := postgres.Open(ctx, c.Database)
	if err != nil {
		return nil, err
	}
	composed, err := New(ctx, db, c)
	if err != nil {
		db.Close()
	}
	return composed, err
}

// New composes the services over an open database, which the core then owns.
func New(ctx context.Context, db *postgres.DB, c Config) (*Core, error) {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Embedder == nil {
		var err error
		if c.Embedder, err = embedding.BuiltIn(); err != nil {
			return nil, err
		}
	}
	if err := ensureIndex(ctx, db, c.Embedder.Model()); err != nil {
		return nil, err
	}
	cursorKey, err := db.Secret(ctx, cursorSecret)
	if err != nil {
		return nil, err
	}
	if c.Search.Pool == 0 {
		c.Search = search.DefaultSettings()
	}
	guarded := embedding.Guard(c.Embedder, c.Guard)
	writer := record.Service{DB: db, Embedder: guarded, Vectors: vectors.Store{}, Keyword: keyword.Store{}}
	disputes := conflicts.New(conflicts.Service{DB: db, Record: writer, LLM: c.LLM, Lease: c.Lease})
	writer = disputes.Record
	door := gate.Service{DB: db, Record: writer, Log: c.Log, Assessor: gate.Nearest{DB: db, Embedder: guarded, Vectors: vectors.Store{}}}
	night, err := nightly.New(db, c.Nightly, c.Log, nightly.Lint(db), nightly.Orphans(writer), nightly.Prune(writer), nightly.Conflicts(disputes),
		nightly.Copies(writer), nightly.Verdicts(disputes), nightly.Importance(db), nightly.Hubs(writer))
	if err != nil {
		return nil, err
	}
	return &Core{
		DB: db, Embedder: guarded,
		Access:    access.New(db, c.Access),
		Articles:  articles.Reader{DB: db},
		Record:    writer,
		Gate:      door,
		Conflicts: disputes,
		Proposals: proposals.New(db, writer, nil, c.Bulk),
		Search:    search.New(db, guarded, c.Search),
		Ingest:    ingest.Importer{DB: db, Gate: door, Record: writer, Embedder: guarded.WithTimeout(ingest.EmbedTimeout), Log: c.Log},
		Usage:     usage.Recorder{DB: db, Log: c.Log},
		Nightly:   night,
		Index:     MeaningIndex{db, guarded.Model()},
		Audit:     AuditLog{db}, Events: EventLog{db}, Backlogs: Backlogs{db, disputes}, CursorKey: cursorKey,
	}, nil
}

// cursorSecret names the key that the cursors of pages are signed with.
const cursorSecret = "page cursors"

// An index over vectors that are there already takes minutes, not seconds.
const noTimeoutSQL = `set local statement_timeout = 0`

// ensureIndex makes the model's index unless it stands.
func ensureIndex(ctx context.Context, db *postgres.DB, model embedding.Model) error {
	return db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, noTimeoutSQL); err != nil {
			return fmt.Errorf("lift the statement timeout: %w", err)
		}
		return vectors.EnsureIndex(ctx, tx, model)
	})
}

// Close ends the database connections; calls in flight fail.
func (c *Core) Close() { c.DB.Close() }
