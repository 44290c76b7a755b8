package nightly

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// errRehearsed rolls back what a dry run did.
var errRehearsed = errors.New("nightly: rehearsed")

// Importance is the consumer that stamps each article's read days, the signal of the importance prior (seed, "Importance
// ranks USAGE"): once a night, never with a write. What is offered are the articles that were read.
func Importance(db *postgres.DB) Consumer {
	return Consumer{
		Name: "importance", Does: "stamps how many days each article was read",
		Budget:  wiki.NightBudget{Count: 2 * usage.MaxStamped, Time: 2 * time.Minute}, // as many set as cleared
		Batch:   usage.MaxStamped,
		RunOnce: func(ctx context.Context, b Batch) (Done, error) { return stamp(ctx, db, b) },
	}
}

func stamp(ctx context.Context, db *postgres.DB, b Batch) (Done, error) {
	var done Done
	var read []usage.ReadDays
	tenant := b.Actor.Tenant
	err := db.HeavyRead(ctx, tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		read, err = usage.MeasureReadDays(ctx, tx, tenant)
		return err
	})
	if err != nil {
		return done, err
	}
	ids, days := make([]uuid.UUID, len(read)), make([]int, len(read))
	for i, r := range read {
		ids[i], days[i] = r.Article, r.Days
	}
	changed := 0
	err = db.Tenant(ctx, tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		if changed, err = articles.StampReadDays(ctx, tx, tenant, ids, days); err == nil && b.DryRun {
			err = errRehearsed
		}
		return err
	})
	if err != nil && !errors.Is(err, errRehearsed) {
		return done, err
	}
	done.Looked = len(read)
	done.Tally.Offered, done.Tally.Applied = max(len(read), changed), changed
	return done, nil
}
