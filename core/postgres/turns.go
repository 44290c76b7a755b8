package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// turns bounds what each tenant may have in flight, so that one tenant's burst leaves connections to the others. A
// tenant's entry lives only while it has reads in flight or waiting.
type turns struct {
	limit int
	mu    sync.Mutex
	inUse map[uuid.UUID]*turn
}

type turn struct {
	slots chan struct{}
	users int // in flight or waiting
}

// take waits for the tenant's turn, at most wait, and gives the function that ends it.
func (t *turns) take(ctx context.Context, tenant uuid.UUID, wait time.Duration) (release func(), err error) {
	mine := t.join(tenant)
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case mine.slots <- struct{}{}:
		return func() { <-mine.slots; t.leave(tenant, mine) }, nil
	case <-timer.C:
		err = overloaded("too many heavy reads are in flight for this tenant")
	case <-ctx.Done():
		err = mapError(ctx, ctx.Err(), false)
	}
	t.leave(tenant, mine)
	return nil, err
}

func (t *turns) join(tenant uuid.UUID) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.inUse[tenant]
	if mine == nil {
		mine = &turn{slots: make(chan struct{}, t.limit)}
		t.inUse[tenant] = mine
	}
	mine.users++
	return mine
}

func (t *turns) leave(tenant uuid.UUID, mine *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.inUse, tenant)
	}
}
