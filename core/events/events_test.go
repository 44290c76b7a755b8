package events_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/events"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
)

func emit(ctx context.Context, tx postgres.Tx, who wiki.Actor, kind string) error {
	return events.Emit(ctx, tx, events.Event{Tenant: who.Tenant, Kind: kind, Subject: who.Key, Payload: map[string]any{"state": "open"}})
}

func read(t *testing.T, db *postgres.DB, who wiki.Actor, after events.Cursor, limit int) []events.Event {
	var got []events.Event
	require.NoError(t, db.TenantRead(t.Context(), who.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		got, err = events.Since(ctx, tx, who.Tenant, after, limit)
		return err
	}))
	return got
}

// await reads until there are n events: other tests' transactions on the same cluster may hold the stream back.
func await(t *testing.T, db *postgres.DB, who wiki.Actor, after events.Cursor, n int) []events.Event {
	var got []events.Event
	require.Eventually(t, func() bool {
		got = read(t, db, who, after, n)
		return len(got) == n
	}, 30*time.Second, 10*time.Millisecond)
	return got
}

func TestReaderThatResumesMissesNoEvent(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), user.Tenant, func(ctx context.Context, slow postgres.Tx) error {
		if err := emit(ctx, slow, user, "slow"); err != nil {
			return err
		}
		// A later transaction commits first: it must not be shown before the earlier one.
		require.NoError(t, db.Tenant(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) error {
			return emit(ctx, tx, user, "quick")
		}))
		require.Empty(t, read(t, db, user, events.Cursor{}, 0))
		return nil
	}))
	first := await(t, db, user, events.Cursor{}, 1)
	require.Equal(t, "slow", first[0].Kind)
	require.Equal(t, map[string]any{"state": "open"}, first[0].Payload)
	cursor, err := events.ParseCursor(first[0].Cursor.String())
	require.NoError(t, err)
	rest := await(t, db, user, cursor, 1)
	require.Equal(t, "quick", rest[0].Kind)
	require.Empty(t, read(t, db, user, rest[0].Cursor, 0))

	var last events.Cursor
	require.NoError(t, db.TenantRead(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) (err error) {
		last, err = events.Last(ctx, tx, user.Tenant)
		return err
	}))
	require.Equal(t, rest[0].Cursor, last)
}

func TestTenantSeesItsOwnStreamOnly(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	user, stranger := pgtest.Tenant(t, db), pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) error { return emit(ctx, tx, user, "mine") }))
	require.Empty(t, read(t, db, stranger, events.Cursor{}, 0))
	require.Error(t, db.Tenant(t.Context(), user.Tenant, func(ctx context.Context, tx postgres.Tx) error { return emit(ctx, tx, stranger, "forged") }))
}

func TestParseCursorRefusesWhatIsNone(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"7", "a-b", "-1-2", "1--2", "1-2-3", "99999999999999999999-1"} {
		_, err := events.ParseCursor(s)
		require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err), s)
	}
}
