package postgres_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// A request can neither read a job nor make one.
func TestRequestsHaveNoRightToJobs(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for _, statement := range []string{
		"select count(*) from river_job", "delete from river_job", "delete from river_leader",
		"insert into river_job (max_attempts, kind) values (1, 'nightly')",
	} {
		err := db.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
			_, err := tx.Exec(ctx, statement)
			return err
		})
		require.ErrorContains(t, err, "permission denied", statement)
	}
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, "select from river_job")
		return err
	}))
}

// One that waited inside the database for another, which builds an index concurrently, would wait for ever.
func TestServersThatStartAtOnceTakeTurnsToMigrate(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Empty(t)
	done := make(chan error, 3)
	for range cap(done) {
		go func() { done <- postgres.Migrate(t.Context(), dsn, postgres.Newest, nil) }()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}
