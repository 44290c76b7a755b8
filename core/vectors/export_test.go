package vectors

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

// Explain gives the plan of the index path for a query in the viewer's own scope.
func (s Store) Explain(ctx context.Context, tx postgres.Tx, q Query) (string, error) {
	vector, err := half(q.Vector)
	if err != nil {
		return "", err
	}
	args := q.args(vector)
	rows, err := tx.Query(ctx, "explain "+nearestSQL(fmt.Sprintf(indexPoolSQL, len(q.Vector), literal(q.Model), ownScope, q.Limit+poolExtra)), args)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}
