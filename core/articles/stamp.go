package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
)

const (
	stampSQL = `update articles a set read_day_count = s.days from unnest($2::uuid[], $3::int[]) as s (id, days)
where a.tenant_id = $1 and a.id = s.id and a.read_day_count is distinct from s.days`
	unstampSQL = `update articles set read_day_count = null where tenant_id = $1 and read_day_count is not null and id <> all ($2)`
)

// StampReadDays sets the read days of a tenant's articles, and clears those of all its others: what was not read within the
// window is not measured (facts §4.4). It makes no version and moves no time, and never touches system canon, which other
// tenants read. It gives how many articles it changed.
func StampReadDays(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, ids []uuid.UUID, days []int) (changed int, err error) {
	set, err := tx.Exec(ctx, stampSQL, tenant, ids, days)
	if err != nil {
		return 0, fmt.Errorf("articles: stamp read days: %w", err)
	}
	cleared, err := tx.Exec(ctx, unstampSQL, tenant, ids)
	if err != nil {
		return 0, fmt.Errorf("articles: clear read days: %w", err)
	}
	return int(set.RowsAffected() + cleared.RowsAffected()), nil
}
