package flags

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// KindLapsed is the event of a pair that left the queue because its flags hold no longer.
const KindLapsed = "conflict.lapsed"

const (
	lapseSQL = `update conflict_flags set lapsed = $3, lapsed_at = $4, similarity = $5 where tenant_id = $1 and id = $2`
	// Pairs that an article's change may concern, in the order in which whoever takes several takes them.
	pairsSQL = `select first_id, second_id from (
  select first_id, second_id, flagged_at from conflict_pairs where tenant_id = $1 and first_id = $2
  union all select first_id, second_id, flagged_at from conflict_pairs where tenant_id = $1 and second_id = $2
  order by flagged_at desc limit $3) newest order by first_id, second_id`
)

// Lapse marks a rule's flag as one that holds no longer, with the reason and what is measured now. A pair whose flags have
// all lapsed needs no judging and says why; an assertion never lapses, since nothing measures it. The caller holds the pair
// and saves it.
func Lapse(ctx context.Context, tx postgres.Tx, tenant uuid.UUID, flag wiki.Flag, cosine wiki.Cosine, reason string) error {
	if _, err := tx.Exec(ctx, lapseSQL, tenant, flag.ID, reason, tx.Now, float64(cosine)); err != nil {
		return fmt.Errorf("flags: lapse: %w", err)
	}
	return nil
}

// PairsOf gives the pairs of an article, the most recently flagged ones when there are more than limit.
func PairsOf(ctx context.Context, tx postgres.Tx, tenant, article uuid.UUID, limit int) ([]wiki.Pair, error) {
	rows, err := tx.Query(ctx, pairsSQL, tenant, article, limit)
	if err != nil {
		return nil, fmt.Errorf("flags: read the article's pairs: %w", err)
	}
	pairs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[wiki.Pair])
	if err != nil {
		return nil, fmt.Errorf("flags: read the article's pairs: %w", err)
	}
	return pairs, nil
}
