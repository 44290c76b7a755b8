package articles

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var (
	notHub         = ` and coalesce(a.idempotency_key, '') not like 'moc:%'`
	staleSQL       = `select a.id, count(*) over ()` + offered + notHub + ` and a.content_changed_at < @before order by a.content_changed_at, a.id limit @limit`
	aloneSQL       = `select a.id, count(*) over ()` + offered + notHub + unlinked + ` order by a.id limit @limit`
	coveredSQL     = `select a.category, count(*)::int` + offered + notHub + ` group by a.category`
	contradictsSQL = `select l.source_id, l.target_id from article_links l join articles a on a.id = l.source_id join articles b on b.id = l.target_id
where l.tenant_id = @viewer_tenant and l.relation = 'contradicts' and ` + visible + ` and ` + postgres.Ranked("a") + ` and ` + postgres.VisibleTo("b") + ` and ` + postgres.Ranked("b")
)

// Stale gives those of the tenant's published articles whose text has changed least recently, all of them before a moment,
// and how many there are. Call it in a heavy read, as what follows.
func Stale(ctx context.Context, tx postgres.Tx, actor wiki.Actor, before time.Time, limit int) ([]uuid.UUID, int, error) {
	return listed(ctx, tx, staleSQL, with(actor, pgx.NamedArgs{"before": before, "limit": limit}))
}

// Alone gives published articles that no link leads to or from, and how many there are.
func Alone(ctx context.Context, tx postgres.Tx, actor wiki.Actor, limit int) ([]uuid.UUID, int, error) {
	return listed(ctx, tx, aloneSQL, with(actor, pgx.NamedArgs{"limit": limit}))
}

func listed(ctx context.Context, tx postgres.Tx, sql string, args pgx.NamedArgs) (ids []uuid.UUID, all int, err error) {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return nil, 0, fmt.Errorf("articles: lint: %w", err)
	}
	var id uuid.UUID
	_, err = pgx.ForEachRow(rows, []any{&id, &all}, func() error {
		ids = append(ids, id)
		return nil
	})
	return ids, all, err
}

// Covered counts the tenant's published articles by category.
func Covered(ctx context.Context, tx postgres.Tx, actor wiki.Actor) (map[wiki.Category]int, error) {
	rows, err := tx.Query(ctx, coveredSQL, with(actor, pgx.NamedArgs{}))
	if err != nil {
		return nil, fmt.Errorf("articles: count by category: %w", err)
	}
	covered := map[wiki.Category]int{}
	var category wiki.Category
	var n int
	_, err = pgx.ForEachRow(rows, []any{&category, &n}, func() error { covered[category] = n; return nil })
	return covered, err
}

// Contradicting gives the contradicts links between published articles.
func Contradicting(ctx context.Context, tx postgres.Tx, actor wiki.Actor) ([]wiki.Link, error) {
	rows, err := tx.Query(ctx, contradictsSQL, with(actor, pgx.NamedArgs{}))
	return some(rows, err, "contradictions", func(row pgx.CollectableRow) (l wiki.Link, err error) {
		l.Relation = wiki.RelContradicts
		return l, row.Scan(&l.Source, &l.Target)
	})
}
