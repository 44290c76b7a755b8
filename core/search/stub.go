package search

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Stub is an article named and summed up, for a reader to choose which to open.
type Stub struct {
	ID       uuid.UUID
	Title    string
	Category wiki.Category
	Summary  string // at most wiki.MaxSummaryBytes
	Curated  bool   // marked by a person, or system canon
}

// summaryRunes is how much of a body is read for its summary.
const summaryRunes = 1000

const stubsSQL = `select id, title, category, left(body, $2), curated_at is not null or tenant_id is null from articles where id = any ($1)`

// stubs sums up articles that a ranked read gave in the same transaction, by id.
func stubs(ctx context.Context, tx postgres.Tx, ids []uuid.UUID) (map[uuid.UUID]Stub, error) {
	rows, err := tx.Query(ctx, stubsSQL, ids, summaryRunes)
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", err)
	}
	found := map[uuid.UUID]Stub{}
	var s Stub
	var body string
	_, err = pgx.ForEachRow(rows, []any{&s.ID, &s.Title, &s.Category, &body, &s.Curated}, func() error {
		s.Summary = wiki.Summary(body)
		found[s.ID] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", err)
	}
	return found, nil
}
