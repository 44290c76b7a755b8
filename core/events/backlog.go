package events

import (
	"context"
	"fmt"

	"wiki/core/postgres"
)

// The index begins with the tenant.
const backlogSQL = `select coalesce(sum(q.hidden), 0)::bigint, min(q.oldest) from tenants t cross join lateral (
  select count(*) as hidden, min(e.at) as oldest from events e
  where e.tenant_id = t.id and e.xact >= pg_snapshot_xmin(pg_current_snapshot())) q`

// Backlog counts the events of all tenants that are committed and that Since keeps back, because an older transaction of the
// database server is still running: usually none, or some of the last milliseconds. Their age is how far the streams lag.
func Backlog(ctx context.Context, tx postgres.Tx) (postgres.Backlog, error) {
	b, err := postgres.ScanBacklog(tx, tx.QueryRow(ctx, backlogSQL))
	if err != nil {
		return b, fmt.Errorf("events: count what is kept back: %w", err)
	}
	return b, nil
}
