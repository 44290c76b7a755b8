package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	offered       = ` from articles a where a.tenant_id = @viewer_tenant and ` + visible + ` and ` + postgres.Ranked("a")
	sweepSQL      = `select ` + columns + offered + ` and a.id > @after order by a.id limit @limit`
	countSweepSQL = `select count(*)` + offered
)

// Sweep gives the next of the tenant's articles, in the order of their ids, of those that a ranked read may offer: what a
// nightly consumer goes through.
func Sweep(ctx context.Context, tx postgres.Tx, actor wiki.Actor, after uuid.UUID, limit int) ([]wiki.Article, error) {
	rows, err := tx.Query(ctx, sweepSQL, with(actor, pgx.NamedArgs{"after": after, "limit": limit}))
	return some(rows, err, "sweep", scanArticle)
}

// CountSweep counts what Sweep goes through.
func CountSweep(ctx context.Context, tx postgres.Tx, actor wiki.Actor) (n int, err error) {
	if err := tx.QueryRow(ctx, countSweepSQL, with(actor, pgx.NamedArgs{})).Scan(&n); err != nil {
		return 0, fmt.Errorf("articles: count the sweep: %w", err)
	}
	return n, nil
}
