package articles

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Stats counts the articles that an actor may see; suppressed ones are in it, since they are still the tenant's.
type Stats struct {
	Total      int
	ByCategory map[string]int
	ByStatus   map[string]int
}

var statsSQL = `select a.category, a.status, count(*) from articles a
where a.tenant_id = @viewer_tenant and ` + visible + ` group by 1, 2`

// Stats counts the tenant's articles.
func (r Reader) Stats(ctx context.Context, actor wiki.Actor) (Stats, error) {
	s := Stats{ByCategory: map[string]int{}, ByStatus: map[string]int{}}
	err := r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, statsSQL, postgres.Viewer(actor))
		if err != nil {
			return fmt.Errorf("articles: count by category: %w", err)
		}
		var category, status string
		var n int
		_, err = pgx.ForEachRow(rows, []any{&category, &status, &n}, func() error {
			s.Total += n
			s.ByCategory[category] += n
			s.ByStatus[status] += n
			return nil
		})
		return err
	})
	return s, err
}
