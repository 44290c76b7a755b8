package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

// occupy holds a transaction open until the test ends; when it returns, the transaction has begun.
func occupy(t *testing.T, run func(context.Context, uuid.UUID, func(context.Context, postgres.Tx) error) error, tenant uuid.UUID) {
	t.Helper()
	began, done, release := make(chan struct{}), make(chan error, 1), make(chan struct{})
	go func() {
		done <- run(context.Background(), tenant, func(context.Context, postgres.Tx) error {
			close(began)
			<-release
			return nil
		})
	}()
	select {
	case <-began:
	case err := <-done:
		require.NoError(t, err, "the transaction has to begin")
	}
	t.Cleanup(func() {
		close(release)
		require.NoError(t, <-done)
	})
}

func nothing(context.Context, postgres.Tx) error { return nil }

func TestHeavyReadsOfOneTenantLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	busy, calm := uuid.New(), uuid.New()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), HeavyPerTenant: 2, Wait: time.Second})
	occupy(t, db.HeavyRead, busy)
	occupy(t, db.HeavyRead, busy)

	err := db.HeavyRead(t.Context(), busy, nothing)
	require.Equal(t, wiki.CodeOverloaded, wiki.ErrorCode(err))
	var coded *wiki.Error
	require.ErrorAs(t, err, &coded)
	require.Positive(t, coded.Details["retry_after_seconds"])
	require.NoError(t, db.HeavyRead(t.Context(), calm, nothing))
	require.NoError(t, db.Tenant(t.Context(), busy, nothing), "requests have connections of their own")
}

func TestWaitingForATurnEndsWithTheContext(t *testing.T) {
	t.Parallel()
	tenant := uuid.New()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), HeavyPerTenant: 1, Wait: time.Hour})
	occupy(t, db.HeavyRead, tenant)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.HeavyRead(ctx, tenant, nothing)))
}

func TestFullPoolSheds(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), MaxConns: 1, Wait: time.Second})
	occupy(t, db.Tenant, uuid.New())
	require.Equal(t, wiki.CodeOverloaded, wiki.ErrorCode(db.Tenant(t.Context(), uuid.New(), nothing)))
}
