package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

const legacyTags = ` from articles a where a.tenant_id = @viewer_tenant and exists (select from unnest(a.tags) t where t ~ @pattern)`

var (
	countLegacySQL = `select count(*)` + legacyTags + ` and ` + visible
	legacySQL      = `select a.id, a.tags` + legacyTags + ` and a.id > @after and ` + visible + ` order by a.id limit @limit`
)

// Tagged is an article's tags.
type Tagged struct {
	ID   uuid.UUID
	Tags []string
}

// CountLegacyTagged counts the articles, of every status, that LegacyTagged gives.
func CountLegacyTagged(ctx context.Context, tx postgres.Tx, actor wiki.Actor) (n int, err error) {
	if err := tx.QueryRow(ctx, countLegacySQL, with(actor, pgx.NamedArgs{"pattern": wiki.LegacyCapturePattern})).Scan(&n); err != nil {
		return 0, fmt.Errorf("articles: count legacy tags: %w", err)
	}
	return n, nil
}

// LegacyTagged gives the next articles, in the order of their ids, that carry a capture tag of the time before the idem-
// namespace was reserved (wiki.LegacyCapture).
func LegacyTagged(ctx context.Context, tx postgres.Tx, actor wiki.Actor, after uuid.UUID, limit int) ([]Tagged, error) {
	rows, err := tx.Query(ctx, legacySQL, with(actor, pgx.NamedArgs{"pattern": wiki.LegacyCapturePattern, "after": after, "limit": limit}))
	return some(rows, err, "legacy tags", pgx.RowToStructByPos[Tagged])
}
