package nightly

import (
	"context"
	"errors"
	"sync"
	"time"

	"wiki/core/postgres"
)

// beats is how often a turn shows life within one lease.
const beats = 3

// keepAlive shows life while a turn works, however long one batch takes, and ends the work when another server has taken the
// pass up. The function that comes back ends the showing.
func (r *run) keepAlive(ctx context.Context) (context.Context, func()) {
	working, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() {
		tick := time.NewTicker(r.settings.Lease / beats)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if err := r.beat(context.WithoutCancel(ctx)); errors.Is(err, errLost) {
				cancel(errLost)
				return
			}
		}
	})
	return working, func() {
		close(stop)
		ended.Wait()
		cancel(nil)
	}
}

const beatSQL = `update nightly_passes set lease_until = $4 where tenant_id = $1 and id = $2 and holder = $3`

func (r *run) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.settings.Lease/beats)
	defer cancel()
	return r.db.Tenant(ctx, r.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		tag, err := tx.Exec(ctx, beatSQL, r.Tenant, r.Pass, r.holder, tx.Now.Add(r.settings.Lease))
		if err == nil && tag.RowsAffected() == 0 {
			err = errLost
		}
		return err
	})
}
