package keyword

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// Query asks for the published articles that a text finds.
type Query struct {
	Text   string
	Limit  int
	Viewer wiki.Actor
	Filter wiki.Filter
}

// Hit is an article found.
type Hit struct {
	Article uuid.UUID
	Score   float64 // BM25, comparable within one query only
	Upper   float64 // what no article could exceed for this query
}

// absoluteOffset keeps "one common word matched" from counting as near-certain (reference keyword-lane: of the absolute
// scores tried, s/(UB+25) tells right from wrong best).
const absoluteOffset = 25

// Absolute is the score on a scale of 0 to below 1 that means the same for every query. It is a weak threshold by itself:
// ask for a margin, or a cosine, beside it.
func (h Hit) Absolute() float64 { return h.Score / (h.Upper + absoluteOffset) }

// Result is what a query found, best first, equal ones by id. It can score other articles on the same scale.
type Result struct {
	Hits   []Hit
	Capped bool // articles that hold only the query's common words may be missing, or the limit cut the list
	model  *model
}

// Search finds the published articles that hold any of the query's words, quoted phrases in a row, and none of what is
// excluded, and orders them by BM25. Words are looked up among the tenant's articles and system canon as one collection.
// A text without words finds nothing. Call it in a heavy read: an upkeep between two statements of a transaction without
// one snapshot would hide articles or show them twice.
func (s Store) Search(ctx context.Context, tx postgres.Tx, q Query) (Result, error) {
	m := newModel(q.Viewer.Tenant, parse(q.Text))
	if m.scoring == 0 || q.Limit < 1 {
		return Result{model: m}, nil
	}
	found, err := m.look(ctx, tx, s.maxPostings())
	if err != nil {
		return Result{}, fmt.Errorf("keyword search: %w", err)
	}
	hits, cut, err := visible(ctx, tx, q, m, found)
	if err != nil {
		return Result{}, fmt.Errorf("keyword search: %w", err)
	}
	return Result{Hits: hits, Capped: cut || found.partly, model: m}, nil
}

// Score scores given articles as the search did, whether or not it returned them. An article with none of the words scores
// 0, one that is not indexed is absent. It does not ask who may see an article: pass ids that a ranked read gave.
func (r Result) Score(ctx context.Context, tx postgres.Tx, articles []uuid.UUID) (map[uuid.UUID]Hit, error) {
	scores, err := r.model.scores(ctx, tx, articles)
	if err != nil {
		return nil, fmt.Errorf("keyword score: %w", err)
	}
	found, upper := make(map[uuid.UUID]Hit, len(scores)), r.model.upper()
	for id, score := range scores {
		found[id] = Hit{Article: id, Score: score, Upper: upper}
	}
	return found, nil
}
