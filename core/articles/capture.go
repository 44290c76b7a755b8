package articles

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

var capturesSQL = `select a.id, a.title, coalesce(a.idempotency_key, ''), coalesce(a.owner_agent, ''), a.inserted_at` + offered + ` and a.id > @after order by a.id limit @limit`

// Captures gives the next of the tenant's articles that a ranked read may offer, in the order of their ids, by what a copy
// is found by.
func Captures(ctx context.Context, tx postgres.Tx, actor wiki.Actor, after uuid.UUID, limit int) ([]wiki.Capture, error) {
	rows, err := tx.Query(ctx, capturesSQL, with(actor, pgx.NamedArgs{"after": after, "limit": limit}))
	return some(rows, err, "captures", pgx.RowToStructByPos[wiki.Capture])
}

const (
	retractedSQL     = `select consolidation_retracted_at is not null from articles where tenant_id = $1 and id = $2`
	markRetractedSQL = `update articles set consolidation_retracted_at = $3 where tenant_id = $1 and id = $2`
)

// WasRetracted says whether an article was taken for a copy before, and retracted.
func WasRetracted(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) (was bool, err error) {
	if err := tx.QueryRow(ctx, retractedSQL, tenant, id).Scan(&was); err != nil {
		return false, fmt.Errorf("articles: was it retracted: %w", err)
	}
	return was, nil
}

// MarkRetracted keeps in mind that an article was taken for a copy. Whoever publishes it again overrules that for good.
func MarkRetracted(ctx context.Context, tx postgres.Tx, tenant, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, markRetractedSQL, tenant, id, tx.Now); err != nil {
		return fmt.Errorf("articles: mark as retracted: %w", err)
	}
	return nil
}
