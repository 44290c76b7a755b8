package postgres

import (
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"wiki/core/wiki"
)

// The two pools of connections, and what sheds a caller beside them: a tenant that has all its heavy reads in flight.
const (
	PoolRequests = "requests"
	PoolHeavy    = "heavy"
	ShedTurn     = "tenant_turn"
)

// PoolStats is how a pool of connections stands. Counts are since the pool was opened.
type PoolStats struct {
	Name        string
	Max         int
	InUse, Idle int
	Acquired    int64         // connections that were given out
	Waits       int64         // of those, the ones that no idle connection was there for
	Waited      time.Duration // for a connection, in all
	GaveUpWaits int64         // waits that ended without a connection
	Slow        int64         // statements that took Config.SlowStatement or longer
}

// Stats gives both pools. It asks nothing of the database.
func (db *DB) Stats() []PoolStats {
	return []PoolStats{db.stats(PoolRequests, db.pool), db.stats(PoolHeavy, db.heavy)}
}

func (db *DB) stats(name string, pool *pgxpool.Pool) PoolStats {
	s := pool.Stat()
	var slow int64
	if log := db.slow[name]; log != nil {
		slow = log.count.Load()
	}
	return PoolStats{
		Slow: slow, Name: name, Max: int(s.MaxConns()), InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()),
		Acquired: s.AcquireCount(), Waits: s.EmptyAcquireCount(), Waited: s.EmptyAcquireWaitTime(), GaveUpWaits: s.CanceledAcquireCount(),
	}
}

func (db *DB) poolName(pool *pgxpool.Pool) string {
	if pool == db.heavy {
		return PoolHeavy
	}
	return PoolRequests
}

// Sheds gives how many callers were shed with CodeOverloaded: by PoolRequests, PoolHeavy or ShedTurn.
func (db *DB) Sheds() map[string]int {
	db.shed.mu.Lock()
	defer db.shed.mu.Unlock()
	return map[string]int{
		PoolRequests: db.shed.by[PoolRequests], PoolHeavy: db.shed.by[PoolHeavy], ShedTurn: db.shed.by[ShedTurn],
	}
}

type sheds struct {
	mu sync.Mutex
	by map[string]int
}

// count adds a caller that was shed; an error of another kind is none.
func (s *sheds) count(err error, what string) {
	if wiki.ErrorCode(err) != wiki.CodeOverloaded {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.by == nil {
		s.by = map[string]int{}
	}
	s.by[what]++
}
