package vectors

import (
	"context"
	"fmt"

	"wiki/core/postgres"
)

const backlogSQL = `select count(*), min(since) from embedding_pending`

// Backlog counts the articles of all tenants that wait for a vector: the semantic lane doesn't find them.
func Backlog(ctx context.Context, tx postgres.Tx) (postgres.Backlog, error) {
	b, err := postgres.ScanBacklog(tx, tx.QueryRow(ctx, backlogSQL))
	if err != nil {
		return b, fmt.Errorf("vectors: count what waits: %w", err)
	}
	return b, nil
}
