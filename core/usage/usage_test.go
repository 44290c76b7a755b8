package usage_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/usage"
	"wiki/core/wiki"
)

func TestNoteRecordsThePageAndNeverFails(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	var ids []uuid.UUID
	for range usage.MaxRecorded + 5 {
		ids = append(ids, uuid.New())
	}
	r := usage.Recorder{DB: db}
	r.Note(ctx, me, usage.Search, ids, map[string]any{"mode": "keyword"})
	r.Note(ctx, me, usage.Get, ids[:1], nil)
	r.Note(ctx, me, usage.Search, nil, nil)
	r.Note(ctx, me, "unheard-of", ids, nil) // the table refuses it: logged, and no more
	r.Note(ctx, wiki.Actor{Role: wiki.RoleSuperadmin}, usage.Get, ids, nil)

	require.NoError(t, db.TenantRead(ctx, me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var searches, gets, rank int
		var principal string
		require.NoError(t, tx.QueryRow(ctx, `select count(*) filter (where kind = 'search'), count(*) filter (where kind = 'get'), min(principal) from access_events`).
			Scan(&searches, &gets, &principal))
		require.Equal(t, usage.MaxRecorded, searches)
		require.Equal(t, 1, gets)
		require.Equal(t, me.Principal(), principal)
		require.NoError(t, tx.QueryRow(ctx, `select (detail->>'rank')::int from access_events where article_id = $1 and kind = 'search'`, ids[2]).Scan(&rank))
		require.Equal(t, 3, rank)
		return nil
	}))
}
