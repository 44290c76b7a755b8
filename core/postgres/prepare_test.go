package postgres_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
)

// The wall must not cost the indexes: a search by tag reads the index, not all of the tenant.
func TestTagIndexIsUsedUnderRowLevelSecurity(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	mine := pgtest.Tenant(t, db)
	require.NoError(t, db.System(t.Context(), func(ctx context.Context, tx postgres.Tx) error {
		_, err := tx.Exec(ctx, `insert into articles (id, tenant_id, title, body, category, status, scope, slug, tags, created_by, content_hash,
				content_changed_at, inserted_at, updated_at)
			select gen_random_uuid(), $1, 'title ' || i, 'b', 'finding', 'published', 'tenant', 'slug-' || i, array['tag-' || i], '{}', 'h', $2, $2, $2
			from generate_series(1, 3000) i`, mine.Tenant, tx.Now)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, "analyze articles")
		return err
	}))
	require.NoError(t, db.HeavyRead(t.Context(), mine.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var plan json.RawMessage
		require.NoError(t, tx.QueryRow(ctx, `explain (format json) select id from articles where tags && array['tag-7', 'tag-8']`).Scan(&plan))
		require.Contains(t, string(plan), "articles_tags_idx")
		return nil
	}))
}
