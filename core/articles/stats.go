package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Stats counts the tenant's articles that an actor may see. Suppressed ones are counted apart and nowhere else (case 38).
type Stats struct {
	Total      int
	ByCategory map[string]int
	ByStatus   map[string]int
	Suppressed int
}

var statsSQL = `select a.category, a.status, a.suppressed_at is not null, count(*) from articles a
where a.tenant_id = @viewer_tenant and ` + visible + ` and (@project::uuid is null or a.project_id = @project) group by 1, 2, 3`

// Stats counts the tenant's articles, or those of a project.
func (r Reader) Stats(ctx context.Context, actor wiki.Actor, project *uuid.UUID) (Stats, error) {
	s := Stats{ByCategory: map[string]int{}, ByStatus: map[string]int{}}
	err := r.DB.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		rows, err := tx.Query(ctx, statsSQL, with(actor, pgx.NamedArgs{"project": project}))
		if err != nil {
			return fmt.Errorf("articles: count by category: %w", err)
		}
		var category, status string
		var suppressed bool
		var n int
		_, err = pgx.ForEachRow(rows, []any{&category, &status, &suppressed, &n}, func() error {
			if suppressed {
				s.Suppressed += n
				return nil
			}
			s.Total += n
			s.ByCategory[category] += n
			s.ByStatus[status] += n
			return nil
		})
		return err
	})
	return s, err
}
