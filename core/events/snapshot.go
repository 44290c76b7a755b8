package events

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

const snapshotSQL = `select pg_current_snapshot()::text`

// Snapshot names what is committed now, for SubjectsSince.
func Snapshot(ctx context.Context, tx postgres.Tx) (snapshot string, err error) {
	if err := tx.QueryRow(ctx, snapshotSQL).Scan(&snapshot); err != nil {
		return "", fmt.Errorf("events: take a snapshot: %w", err)
	}
	return snapshot, nil
}

// The first condition is the index's; the second leaves out what older transactions that were still running then kept
// from being below it.
const subjectsSinceSQL = `select subject from events where tenant_id = $1 and xact >= pg_snapshot_xmin($2::text::pg_snapshot)
  and not pg_visible_in_snapshot(xact, $2::text::pg_snapshot) and kind = any ($3) and subject is not null
group by subject order by max(id) desc limit $4`

// SubjectsSince gives what events of these kinds are about that were committed after the snapshot, or by a transaction that
// it did not see yet: the newest, at most limit.
func SubjectsSince(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, snapshot string, kinds []string, limit int) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, subjectsSinceSQL, tenant, snapshot, kinds, limit)
	if err != nil {
		return nil, fmt.Errorf("events: read since a snapshot: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("events: read since a snapshot: %w", err)
	}
	return found, nil
}
