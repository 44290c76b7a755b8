package core

import (
	"context"

	"wiki/core/articles"
	"wiki/core/conflicts"
	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/vectors"
)

// Backlogs counts what waits in the database, of all tenants together: for the operator's metrics, no request may ask. Each
// method is one read as the owner of the tables. Queue is the dearest: see conflicts.Service.AgeingEverywhere.
type Backlogs struct {
	db        *postgres.DB
	conflicts conflicts.Service
}

// Queue measures the pairs that wait for a verdict.
func (b Backlogs) Queue(ctx context.Context) (conflicts.Ageing, error) {
	return b.conflicts.AgeingEverywhere(ctx)
}

// Drift counts the drifted submissions that wait for a curator.
func (b Backlogs) Drift(ctx context.Context) (postgres.Backlog, error) {
	return b.read(ctx, articles.DriftBacklog)
}

// Vectors counts the articles that wait for a vector.
func (b Backlogs) Vectors(ctx context.Context) (postgres.Backlog, error) {
	return b.read(ctx, vectors.Backlog)
}

// Events counts the events that no stream shows yet.
func (b Backlogs) Events(ctx context.Context) (postgres.Backlog, error) {
	return b.read(ctx, events.Backlog)
}

func (b Backlogs) read(ctx context.Context, count func(context.Context, postgres.Tx) (postgres.Backlog, error)) (found postgres.Backlog, err error) {
	err = b.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		found, err = count(ctx, tx)
		return err
	})
	return found, err
}
