package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

func sleep(ctx context.Context, tx postgres.Tx) error {
	_, err := tx.Exec(ctx, "select pg_sleep(60)")
	return err
}

func raise(ctx context.Context, tx postgres.Tx, state string) error {
	_, err := tx.Exec(ctx, "do $$ begin raise exception 'on purpose' using errcode = '"+state+"'; end $$")
	return err
}

func TestConflictIsRetriedOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	for _, state := range []string{"40001", "40P01"} {
		runs := 0
		require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			if runs++; runs == 1 {
				require.NoError(t, put(ctx, tx, mine.Tenant, row{title: "Lost with the first run"}))
				return raise(ctx, tx, state)
			}
			return put(ctx, tx, mine.Tenant, row{title: "Kept " + state})
		}))
		require.Equal(t, 2, runs)

		runs = 0
		err := db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			runs++
			return raise(ctx, tx, state)
		})
		requireState(t, err, state)
		require.Equal(t, 2, runs, "a second conflict is the caller's")
	}
	require.NoError(t, db.TenantRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		kept, err := titles(ctx, tx, "true", nil)
		require.Equal(t, []string{"Kept 40001", "Kept 40P01"}, kept)
		return err
	}))
}

// A conflict inside a savepoint that fn does not handle counts as one of the whole transaction.
func TestConflictInASavepointIsRetried(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	runs := 0
	require.NoError(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		runs++
		inner, err := tx.Begin(ctx)
		require.NoError(t, err)
		if runs == 1 {
			return raise(ctx, postgres.Tx{Tx: inner}, "40001")
		}
		return inner.Commit(ctx)
	}))
	require.Equal(t, 2, runs)
}

func TestNestedTransactionIsRefused(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	nothing := func(context.Context, postgres.Tx) error { return nil }
	err := db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, _ postgres.Tx) error {
		return db.TenantRead(ctx, mine.Tenant, nothing)
	})
	require.ErrorContains(t, err, "pass its Tx on")
}

func TestErrorUndoesTheTransaction(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	failed := errors.New("on purpose")
	require.ErrorIs(t, db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		require.NoError(t, put(ctx, tx, mine.Tenant, row{title: "Undone"}))
		return failed
	}), failed)
	coded := wiki.Invalid("title", "on purpose")
	require.ErrorIs(t, db.Tenant(t.Context(), mine.Tenant, func(context.Context, postgres.Tx) error { return coded }), coded)
	require.NoError(t, db.TenantRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		kept, err := titles(ctx, tx, "true", nil)
		require.Empty(t, kept)
		return err
	}))
}

func TestReadsCannotWriteAndSeeOneSnapshot(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	requireState(t, db.TenantRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		return put(ctx, tx, mine.Tenant, row{title: "Not here"})
	}), "25006")
	require.NoError(t, db.HeavyRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		before, err := titles(ctx, tx, "true", nil)
		require.NoError(t, err)
		require.NoError(t, db.Tenant(ctx, mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			return put(ctx, tx, mine.Tenant, row{title: "In the meantime"})
		}))
		after, err := titles(ctx, tx, "true", nil)
		require.Equal(t, before, after)
		return err
	}))
}

func TestTransactionHasOneTime(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 5, 1, 12, 0, 0, 123456789, time.FixedZone("east", 3600))
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), Now: func() time.Time { return noon }})
	require.NoError(t, db.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
		var back time.Time
		require.NoError(t, tx.QueryRow(ctx, "select $1::timestamptz", tx.Now).Scan(&back))
		require.True(t, back.Equal(tx.Now), "what PostgreSQL keeps is what the transaction says")
		require.Equal(t, time.Date(2026, 5, 1, 11, 0, 0, 123456000, time.UTC), tx.Now)
		require.Equal(t, uuid.Version(7), tx.NewID().Version())
		return nil
	}))
}

func TestSlowStatementIsATimeout(t *testing.T) {
	t.Parallel()
	short := 50 * time.Millisecond
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), StatementTimeout: short, HeavyTimeout: short})
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.Tenant(t.Context(), uuid.New(), sleep)))
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.TenantRead(t.Context(), uuid.New(), sleep)))
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.HeavyRead(t.Context(), uuid.New(), sleep)))
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.System(t.Context(), sleep)))
}

func TestContextEndsAStatement(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	late, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.Equal(t, wiki.CodeTimeout, wiki.ErrorCode(db.Tenant(late, uuid.New(), sleep)))

	gone, leave := context.WithCancel(t.Context())
	err := db.Tenant(gone, uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
		time.AfterFunc(50*time.Millisecond, leave)
		return sleep(ctx, tx)
	})
	require.Error(t, err)
	require.Equal(t, wiki.CodeInternal, wiki.ErrorCode(err), "nobody waits for the answer to a cancelled request")
	require.NoError(t, db.Ping(t.Context()))
}

func TestServerFailuresHaveCodes(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for state, code := range map[string]wiki.Code{
		"53100": wiki.CodeStorageFull, "57014": wiki.CodeTimeout, "57P01": wiki.CodeUnavailable, "53300": wiki.CodeUnavailable,
		"08006": wiki.CodeUnavailable, "23505": wiki.CodeInternal, "XX000": wiki.CodeInternal,
	} {
		err := db.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error { return raise(ctx, tx, state) })
		require.Equal(t, code, wiki.ErrorCode(err), state)
	}
}

func TestLostConnectionIsUnavailable(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	err := db.Tenant(t.Context(), uuid.New(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, "reset role")
		require.NoError(t, err)
		_, err = tx.Exec(ctx, "select pg_terminate_backend(pg_backend_pid())")
		return err
	})
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	require.NoError(t, db.Ping(t.Context()), "the next request gets a new connection")

	_, err = postgres.Open(t.Context(), postgres.Config{DSN: "host=" + t.TempDir() + " user=nobody dbname=none"})
	require.Equal(t, wiki.CodeUnavailable, wiki.ErrorCode(err))
	_, err = postgres.Open(t.Context(), postgres.Config{DSN: "postgres://:::/"})
	require.ErrorContains(t, err, "connection string")
}

func TestIsUnique(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	err := db.Tenant(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		require.NoError(t, put(ctx, tx, mine.Tenant, row{title: "Twice"}))
		return put(ctx, tx, mine.Tenant, row{title: "Twice"})
	})
	require.True(t, postgres.IsUnique(err, "articles_active_title_idx"))
	require.True(t, postgres.IsUnique(err, ""))
	require.False(t, postgres.IsUnique(err, "articles_tenant_slug_idx"))
	require.False(t, postgres.IsUnique(errors.New("other"), ""))
}
