package search

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/postgres"
	"wiki/core/wiki"
)

// facts is what a page shows of a candidate and all that ranking may know of it. How it got in (source type, capture tags,
// sourcer) is not read, so that no weight can use it.
type facts struct {
	wiki.RankingFacts
	title       string
	contentHash string
	curated     bool
	system      bool
}

const factsSQL = `select id, title, category, tags, status, coalesce(idempotency_key, ''), content_changed_at, updated_at, read_day_count,
	content_hash, curated_at is not null or tenant_id is null, tenant_id is null from articles where id = any ($1)`

// loadFacts reads the facts of the candidates, whom the lanes have found visible in the same snapshot.
func loadFacts(ctx context.Context, tx postgres.Tx, p *pool) error {
	rows, err := tx.Query(ctx, factsSQL, p.ids(nil))
	if err != nil {
		return fmt.Errorf("read what ranking may know: %w", err)
	}
	var id uuid.UUID
	var f facts
	var key string
	_, err = pgx.ForEachRow(rows, []any{
		&id, &f.title, &f.Category, &f.Tags, &f.Status, &key, &f.ContentChangedAt, &f.UpdatedAt,
		&f.ReadDays, &f.contentHash, &f.curated, &f.system,
	}, func() error {
		f.Hub = wiki.IsHub(key)
		p.candidates[id].facts = f
		f = facts{} // the next row's slices and pointers must be its own
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what ranking may know: %w", err)
	}
	return nil
}

// order ranks the pool: by the one lane's score, or by fusion and priors; equal ones by id.
func (s *Service) order(p *pool, now time.Time) []wiki.Scored {
	out := make([]wiki.Scored, 0, len(p.candidates))
	for id, c := range p.candidates {
		score := c.Lanes[p.lane].Score
		if p.fused {
			score = s.settings.Fusion.Score(c.Candidate) * s.settings.Priors.Factor(c.facts.RankingFacts, now)
		}
		out = append(out, wiki.Scored{ID: id, Score: score})
	}
	wiki.SortScored(out)
	return out
}

func (s *Service) explain(p *pool, c *candidate, now time.Time) *Explanation {
	e := &Explanation{Lanes: c.Lanes, Fused: c.Lanes[p.lane].Score, Priors: map[string]float64{}}
	if p.fused {
		e.Fused, e.Priors = s.settings.Fusion.Score(c.Candidate), s.settings.Priors.Factors(c.facts.RankingFacts, now)
	}
	return e
}
