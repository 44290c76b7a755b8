package vectors

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
)

// Walks says whether a query walks the index for what is in the viewer's own scope.
func (s Store) Walks(ctx context.Context, tx postgres.Tx, q Query) (bool, error) {
	vector, err := half(q.Vector)
	if err != nil {
		return false, err
	}
	held, bound, err := s.count(ctx, tx, q, ownScope, q.args(vector))
	return held > bound, err
}

// Explain gives the plan of a query in the viewer's own scope: of the exact path or of the walk of the index.
func (s Store) Explain(ctx context.Context, tx postgres.Tx, q Query, exact bool) (string, error) {
	vector, err := half(q.Vector)
	if err != nil {
		return "", err
	}
	args := q.args(vector)
	pool := fmt.Sprintf(indexPoolSQL, len(q.Vector), literal(q.Model), ownScope, q.Limit+poolExtra)
	if exact {
		pool, args["pool"] = fmt.Sprintf(exactPoolSQL, ownScope), q.Limit+poolExtra
	}
	rows, err := tx.Query(ctx, "explain "+nearestSQL(pool), args)
	if err != nil {
		return "", err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(lines, "\n"), err
}
