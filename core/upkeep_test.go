package core_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// While the wiki is served, what was written in bulk is packed without anybody's doing, and two servers don't do it twice.
func TestMaintainPacksTheKeywordIndex(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	me := pgtest.Tenant(t, db)
	require.NoError(t, db.Tenant(t.Context(), me.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		for i := range 300 {
			id := uuid.New()
			if _, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, created_by, content_hash,
				content_changed_at, inserted_at, updated_at) values ($1, $2, $3, 'b', 'finding', 'published', 'tenant', $4, '{}', '', now(), now(), now())`,
				id, me.Tenant, fmt.Sprint("Note ", i), "n-"+id.String()); err != nil {
				return err
			}
			if err := (keyword.Store{}).Put(ctx, tx, id, me.Tenant, fmt.Sprint("Note ", i), "marker"); err != nil {
				return err
			}
		}
		return nil
	}))
	log := slog.New(slog.DiscardHandler)
	one, two := (&core.Core{DB: db}).Maintain(log), (&core.Core{DB: db}).Maintain(log)
	require.Eventually(t, func() bool {
		var fresh, docs int
		require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
			return tx.QueryRow(ctx, `select (select count(*) from keyword_fresh), (select coalesce(sum(docs), 0) from keyword_segments)`).Scan(&fresh, &docs)
		}))
		require.Equal(t, 300, fresh+docs)
		return fresh == 0
	}, time.Minute, 10*time.Millisecond)
	one()
	two()
}
