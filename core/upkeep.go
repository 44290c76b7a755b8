package core

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"wiki/core/keyword"
	"wiki/core/postgres"
)

const (
	// upkeepEvery is how often fresh rows of the keyword index are looked for. A busy minute's writing leaves some hundred.
	upkeepEvery = 5 * time.Second
	// upkeepPace is the pause after a step, so that a bulk load leaves most of a core to the readers.
	upkeepPace = 200 * time.Millisecond
)

// Maintain packs the keyword index while the wiki is served, and gives the function that ends it. It holds nothing: what is
// due stands in the database, any number of servers may run it, and one that is stopped in the midst of a step leaves no
// trace of it. Without it searches are right and become slower.
func (c *Core) Maintain(log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	u := upkeep{db: c.DB, log: log}
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			if err := u.run(ctx); err != nil && ctx.Err() == nil {
				log.Warn("the keyword index was not packed; searches become slower until it is", "error", err)
			}
			if !pause(ctx, upkeepEvery) {
				return
			}
		}
	})
	return func() {
		cancel()
		ended.Wait()
	}
}

// pause waits; false when ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

type upkeep struct {
	db      *postgres.DB
	keyword keyword.Store
	log     *slog.Logger
}

// run works until nothing is due.
func (u upkeep) run(ctx context.Context) error {
	for {
		var due []uuid.UUID
		if err := u.db.System(ctx, func(ctx context.Context, tx postgres.Tx) (err error) {
			due, err = u.keyword.Due(ctx, tx)
			return err
		}); err != nil {
			return err
		}
		packed := 0
		for _, tenant := range due {
			done, err := u.step(ctx, tenant)
			if err != nil {
				return err
			}
			packed += done.Packed
		}
		if packed == 0 || !pause(ctx, upkeepPace) {
			return ctx.Err()
		}
	}
}

func (u upkeep) step(ctx context.Context, tenant uuid.UUID) (done keyword.Done, err error) {
	err = u.db.System(ctx, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := tx.Exec(ctx, noTimeoutSQL); err != nil { // a merge of many thousand articles takes seconds
			return err
		}
		done, err = u.keyword.Upkeep(ctx, tx, tenant)
		return err
	})
	u.log.Debug("packed the keyword index", "tenant", tenant, "articles", done.Packed, "segments_merged", done.Merged)
	return done, err
}
