package main

import (
	"context"

	"github.com/spf13/cobra"

	"wiki/core"
	"wiki/core/postgres"
	"wiki/core/search"
	"wiki/core/wiki"
)

// database is where the wiki's data are, and how to let go of it.
type database struct {
	dsn   string
	log   string          // where a private PostgreSQL writes its log
	ended <-chan struct{} // closed when a private PostgreSQL ends; nil for another's
	stop  func()
}

// openDatabase gives the database of the settings: DATABASE_URL's, or a private one, started here.
func (a *app) openDatabase(ctx context.Context) (database, error) {
	if a.settings.DatabaseURL != "" {
		return database{dsn: a.settings.DatabaseURL, stop: func() {}}, nil
	}
	return a.startCluster(ctx)
}

// openCore migrates the database and composes the services over it.
func (a *app) openCore(ctx context.Context, dsn string) (*core.Core, error) {
	if err := a.migrate(ctx, dsn); err != nil {
		return nil, err
	}
	return a.connect(ctx, dsn)
}

func (a *app) migrate(ctx context.Context, dsn string) error {
	return postgres.Migrate(ctx, dsn, -1, func(line string) { a.log.Info(line) })
}

// connect composes the services over a migrated database.
func (a *app) connect(ctx context.Context, dsn string) (*core.Core, error) {
	embedder, err := a.embedder()
	if err != nil {
		return nil, err
	}
	ranking, err := a.ranking()
	if err != nil {
		return nil, err
	}
	model, err := a.languageModel()
	if err != nil {
		return nil, err
	}
	night, err := a.nightSettings()
	if err != nil {
		return nil, err
	}
	s := a.settings
	return core.Open(ctx, core.Config{
		Database: postgres.Config{
			DSN: dsn, MaxConns: int32(min(s.DBConns, maxConns)), HeavyMaxConns: int32(min(s.DBHeavyConns, maxConns)),
			StatementTimeout: s.StatementTimeout, HeavyTimeout: s.HeavyTimeout, HeavyPerTenant: s.HeavyPerTenant,
			SlowStatement: s.SlowStatement, Log: a.log,
		},
		Embedder: embedder, LLM: model, Search: ranking, Nightly: night, Log: a.log,
	})
}

// ranking gives the settings of search.
func (a *app) ranking() (search.Settings, error) {
	s := search.DefaultSettings()
	method := wiki.FusionMethod(a.settings.Fusion)
	if method != wiki.FuseByScore && method != wiki.FuseByRank {
		return s, wiki.Invalid("search-fusion", "search-fusion must be %s or %s", wiki.FuseByScore, wiki.FuseByRank)
	}
	s.Fusion = wiki.DefaultFusion(method)
	return s, nil
}

// maxConns is more than PostgreSQL serves well, and far from overflow.
const maxConns = 10_000

// withCore runs a command's work on the database: of the server that runs on this state directory, or of a private
// PostgreSQL that is started for the command alone.
func (a *app) withCore(ctx context.Context, work func(context.Context, *core.Core) error) error {
	if a.settings.DatabaseURL == "" {
		if r, ok := findRunning(ctx, a.settings.StateDir); ok {
			c, err := a.connect(ctx, r.DSN)
			if err != nil {
				return err
			}
			defer c.Close()
			return work(ctx, c)
		}
	}
	db, err := a.openDatabase(ctx)
	if err != nil {
		return err
	}
	defer db.stop()
	c, err := a.openCore(ctx, db.dsn)
	if err != nil {
		return err
	}
	defer c.Close()
	return work(ctx, c)
}

func (a *app) migrateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "migrate", Short: "Bring the database to this version's schema", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withCore(cmd.Context(), func(ctx context.Context, c *core.Core) error {
				current, newest, err := c.DB.Version(ctx)
				if err != nil {
					return err
				}
				if a.json {
					return a.answer(map[string]int32{"version": current, "newest": newest})
				}
				a.say("the database is at version %d of %d", current, newest)
				return nil
			})
		},
	}
}
