package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

func TestPoolsAndShedsAreCounted(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), MaxConns: 1, HeavyMaxConns: 2, HeavyPerTenant: 1, Wait: 50 * time.Millisecond})
	pools := func() (requests, heavy postgres.PoolStats) {
		all := db.Stats()
		require.Len(t, all, 2)
		require.Equal(t, []string{postgres.PoolRequests, postgres.PoolHeavy}, []string{all[0].Name, all[1].Name})
		return all[0], all[1]
	}
	require.Equal(t, map[string]int{postgres.PoolRequests: 0, postgres.PoolHeavy: 0, postgres.ShedTurn: 0}, db.Sheds())
	before, _ := pools()
	first, second, third := uuid.New(), uuid.New(), uuid.New()
	occupy(t, db.Tenant, first)
	occupy(t, db.HeavyRead, first)
	occupy(t, db.HeavyRead, second)
	requests, heavy := pools()
	require.Equal(t, []int{1, 1, 2, 2}, []int{requests.Max, requests.InUse, heavy.Max, heavy.InUse})
	require.Zero(t, requests.Idle+heavy.Idle)
	require.Greater(t, requests.Acquired, before.Acquired)

	require.Error(t, db.Tenant(t.Context(), second, nothing))   // the pool is full
	require.Error(t, db.HeavyRead(t.Context(), third, nothing)) // and so is the other
	require.Error(t, db.HeavyRead(t.Context(), first, nothing)) // the tenant's one turn is taken
	require.Equal(t, map[string]int{postgres.PoolRequests: 1, postgres.PoolHeavy: 1, postgres.ShedTurn: 1}, db.Sheds())
	requests, heavy = pools()
	require.Equal(t, []int64{1, 1}, []int64{requests.GaveUpWaits, heavy.GaveUpWaits})
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.Error(t, db.Tenant(gone, second, nothing)) // a caller that left was not shed
	require.Equal(t, 1, db.Sheds()[postgres.PoolRequests])
}
