package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/usage"
	"wiki/core/wiki"
)

// Limits of a context (facts §3.4).
const (
	DefaultContextLimit  = 5
	MaxContextLimit      = 20
	DefaultRecencyWeight = 0.3
	MaxLinked            = 5 // articles named beside each one
	contextPool          = 3 // times the limit: how far down relevance is weighed against recency
	linkedRead           = 20
)

// ContextQuery asks for whole articles to work with.
type ContextQuery struct {
	Text          string
	Filter        wiki.Filter // Status for users only
	Limit         int         // 0 = DefaultContextLimit
	RecencyWeight *float64    // 0..1, nil = DefaultRecencyWeight
	Explain       bool
}

// ContextHit is an article with its text and what it is linked with. Scores are between 0 and 1, of 4 decimals: Relevance is
// the share of the best one's, Recency that of something written now, Combined their weighted sum, which is the order.
type ContextHit struct {
	Hit
	Body      string
	Relevance float64
	Recency   float64
	Combined  float64
	Linked    []articles.NeighbourOf // at most MaxLinked
}

// ContextPage is an answer.
type ContextPage struct {
	Page
	Hits          []ContextHit
	RecencyWeight float64
}

// Context gives the articles that best answer a query, with their bodies. Relevance is that of a combined search without
// its prior for age, since age is weighed here. Errors as Search; CodeForbidden for a status below role user.
func (s *Service) Context(ctx context.Context, actor wiki.Actor, in ContextQuery) (ContextPage, error) {
	q, weight, err := in.query()
	if err != nil {
		return ContextPage{}, err
	}
	q, note, err := q.checked()
	if err != nil {
		return ContextPage{}, err
	}
	if q.Text == "" {
		return ContextPage{}, wiki.Invalid("query", "a context needs a query")
	}
	look, err := s.prepare(ctx, actor, q, q.Explain || s.settings.Fusion.Method == wiki.FuseByScore)
	if err != nil {
		return ContextPage{}, err
	}
	page := ContextPage{Page: Page{Limit: q.Limit, Scope: ScopeMergedCandidates}, RecencyWeight: weight}
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		pool, err := s.gather(ctx, tx, look)
		if err != nil {
			return err
		}
		order := s.byRelevance(pool, tx)
		page.Total, page.HasMore = len(order), len(order) > q.Limit
		page.Hits, err = s.contextHits(ctx, tx, look, pool, order[:min(len(order), contextPool*q.Limit)], weight)
		return err
	})
	if err != nil {
		return ContextPage{}, err
	}
	page.label(look)
	page.Note = join(note, page.Note)
	ids := make([]uuid.UUID, len(page.Hits))
	for i, h := range page.Hits {
		ids[i] = h.ID
	}
	s.usage.Note(ctx, actor, usage.Context, ids, map[string]any{"mode": string(page.Mode)})
	return page, nil
}

func (in ContextQuery) query() (Query, float64, error) {
	if in.Limit == 0 {
		in.Limit = DefaultContextLimit
	}
	if in.Limit < 1 || in.Limit > MaxContextLimit {
		return Query{}, 0, wiki.Invalid("limit", "limit must be between 1 and %d", MaxContextLimit)
	}
	weight := DefaultRecencyWeight
	if in.RecencyWeight != nil {
		weight = *in.RecencyWeight
	}
	if !(weight >= 0 && weight <= 1) { // NaN is neither
		return Query{}, 0, wiki.Invalid("recency_weight", "recency_weight must be between 0 and 1")
	}
	return Query{Text: in.Text, Mode: ModeCombined, Filter: in.Filter, Limit: in.Limit, Explain: in.Explain}, weight, nil
}

// byRelevance is the order of a search whose priors leave age out.
func (s *Service) byRelevance(p *pool, tx postgres.Tx) []wiki.Scored {
	ageless := *s
	ageless.settings.Priors.RecencyWeight = 0
	return ageless.order(p, tx.Now)
}

func (s *Service) contextHits(ctx context.Context, tx postgres.Tx, l *look, p *pool, pool []wiki.Scored, weight float64) ([]ContextHit, error) {
	hits := make([]ContextHit, len(pool))
	for i, scored := range pool {
		relevance := 0.0
		if pool[0].Score > 0 {
			relevance = scored.Score / pool[0].Score
		}
		recency := s.settings.Priors.Freshness(p.candidates[scored.ID].facts.RankingFacts, tx.Now)
		hits[i] = ContextHit{
			Hit: Hit{ID: scored.ID, Score: scored.Score}, Relevance: round4(relevance), Recency: round4(recency),
			Combined: round4((1-weight)*relevance + weight*recency),
		}
	}
	slices.SortStableFunc(hits, func(a, b ContextHit) int { // equal ones as relevance has them
		return cmp.Compare(b.Combined, a.Combined)
	})
	hits = hits[:min(len(hits), l.query.Limit)]
	cut := make([]wiki.Scored, len(hits))
	for i, h := range hits {
		cut[i] = wiki.Scored{ID: h.ID, Score: h.Combined}
	}
	shown, err := s.hits(ctx, tx, l, p, cut)
	if err != nil {
		return nil, err
	}
	for i := range hits {
		hits[i].Hit = shown[i]
	}
	if err := bodies(ctx, tx, hits); err != nil {
		return nil, err
	}
	return hits, linked(ctx, tx, l.actor, hits)
}

const bodiesSQL = `select id, body from articles where id = any ($1)`

func bodies(ctx context.Context, tx postgres.Tx, hits []ContextHit) error {
	place, ids := placesOf(hits)
	rows, err := tx.Query(ctx, bodiesSQL, ids)
	if err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	var id uuid.UUID
	var body string
	_, err = pgx.ForEachRow(rows, []any{&id, &body}, func() error {
		hits[place[id]].Body = body
		return nil
	})
	if err != nil {
		return fmt.Errorf("read bodies: %w", err)
	}
	return nil
}

// linked names what each article is linked with, those of the page too.
func linked(ctx context.Context, tx postgres.Tx, actor wiki.Actor, hits []ContextHit) error {
	for i := range hits {
		edges, err := articles.Neighbours(ctx, tx, actor, wiki.Filter{}, []uuid.UUID{hits[i].ID}, articles.Follow{Share: linkedRead})
		if err != nil {
			return err
		}
		seen := map[uuid.UUID]bool{}
		for _, e := range edges {
			if !seen[e.Neighbour] && len(hits[i].Linked) < MaxLinked {
				seen[e.Neighbour] = true
				hits[i].Linked = append(hits[i].Linked, e)
			}
		}
	}
	return nil
}

func placesOf(hits []ContextHit) (map[uuid.UUID]int, []uuid.UUID) {
	place, ids := make(map[uuid.UUID]int, len(hits)), make([]uuid.UUID, len(hits))
	for i, h := range hits {
		place[h.ID], ids[i] = i, h.ID
	}
	return place, ids
}

// round4 rounds to four decimals (facts §3.4).
func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
