package main

import (
	"context"
	"errors"
	"path/filepath"

	"wiki/core/postgres/embedded"
	"wiki/core/wiki"
)

// databaseDir is where the private PostgreSQL lives, below the state directory.
const databaseDir = "database"

// startCluster starts the private PostgreSQL of the state directory.
func (a *app) startCluster(ctx context.Context) (database, error) {
	a.log.Debug("starting the private PostgreSQL", "dir", a.settings.StateDir)
	cluster, err := embedded.Start(ctx, a.clusterConfig())
	if err != nil {
		return database{}, machineError(err)
	}
	stop := func() {
		if err := cluster.Stop(); err != nil {
			a.log.Warn("the private PostgreSQL did not stop cleanly", "error", err)
		}
	}
	return database{dsn: cluster.DSN(), log: cluster.LogFile(), ended: cluster.Done(), stop: stop}, nil
}

func (a *app) clusterConfig() embedded.Config {
	c := embedded.Config{Dir: filepath.Join(a.settings.StateDir, databaseDir), RunAs: a.settings.PgUser}
	if a.settings.PgBin != "" {
		c.BinDirs = []string{a.settings.PgBin}
	}
	return c
}

// checkPrograms looks for what the private PostgreSQL needs, without starting it.
func (a *app) checkPrograms() finding {
	const check = "database"
	if err := embedded.Check(a.clusterConfig()); err != nil {
		return bad(check, err, remedyOf(err))
	}
	return good(check, "the private PostgreSQL can run in %s", a.settings.StateDir)
}

// machineError says what the machine lacks. An error that is coded already stays, and so does an interruption.
func machineError(err error) error {
	var e *wiki.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) {
		return err
	}
	return blocked(err, remedyOf(err), "the private PostgreSQL does not start")
}

// remedyOf is what to do about each thing that can stand in the private PostgreSQL's way.
func remedyOf(err error) string {
	switch {
	case errors.Is(err, embedded.ErrNotInstalled):
		return "run core/postgres/embedded/install.sh, or install PostgreSQL 15 or newer with pgvector and set --pg-bin"
	case errors.Is(err, embedded.ErrInUse):
		return "stop the wiki-server that runs there, or give this one another --state-dir"
	case errors.Is(err, embedded.ErrOtherMajor):
		return "install the major version that made it, or move the data over with pg_dump; they were not touched"
	case errors.Is(err, embedded.ErrUnreachable):
		return "set --state-dir to a directory that PostgreSQL's user can enter, such as one under /var/lib"
	default:
		return "look at postgres.log in the state directory's database folder"
	}
}
