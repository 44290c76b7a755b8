package search

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/flags"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

const (
	// Diversity chooses among this many times the page, up to the cap (facts §4.8).
	overFetch    = 3
	maxOverFetch = 30
)

// HybridPage is a page with what vouches for it. All three are set in both provenances; Curated is nil when no curated
// article won.
type HybridPage struct {
	Page
	Provenance wiki.Provenance
	Confidence float64 // absolute: a cosine, or the keyword score when no cosine was to be had
	Curated    *uuid.UUID
	Diversity  wiki.DiversityReport
}

// Hybrid answers by both lanes and says whether a curated article answers the query (seed, invariant 2). The decision is
// made over the whole pool on absolute scores; the winner stands first, whatever its rank. The page is chosen to be
// diverse, in the order of the ranking. Offset and mode are not read. Errors as Search.
func (s *Service) Hybrid(ctx context.Context, actor wiki.Actor, q Query) (HybridPage, error) {
	q.Mode, q.Offset = ModeCombined, 0
	q, note, err := q.checked()
	if err != nil {
		return HybridPage{}, err
	}
	if q.Text == "" {
		return HybridPage{}, wiki.Invalid("query", "a hybrid search needs a query")
	}
	look, err := s.prepare(ctx, actor, q, true)
	if err != nil {
		return HybridPage{}, err
	}
	page := HybridPage{Page: Page{Limit: q.Limit, Scope: ScopeMergedCandidates}}
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		pool, err := s.gather(ctx, tx, look)
		if err != nil {
			return err
		}
		decision, err := s.decide(ctx, tx, look, pool)
		if err != nil {
			return err
		}
		page.Provenance, page.Confidence, page.Curated = decision.Provenance, decision.Confidence, decision.Curated
		order := hoist(s.order(pool, tx.Now), decision.Curated)
		chosen, report, err := s.diversify(ctx, tx, look, pool, order, decision.Curated)
		if err != nil {
			return err
		}
		page.Total, page.HasMore, page.Diversity = len(order), len(order) > len(chosen), report
		page.Hits, err = s.hits(ctx, tx, look, pool, chosen)
		return err
	})
	if err != nil {
		return HybridPage{}, err
	}
	page.label(look)
	page.Note = join(note, page.Note)
	s.note(ctx, actor, page.Page)
	return page, nil
}

// decide settles provenance over the pool. Every candidate is published and not suppressed, since the lanes give no other.
func (s *Service) decide(ctx context.Context, tx postgres.Tx, l *look, p *pool) (wiki.ProvenanceDecision, error) {
	curated := p.ids(func(c *candidate) bool { return c.facts.curated })
	disputed, err := flags.SystemDisputed(ctx, tx, l.actor.Tenant, curated)
	if err != nil {
		return wiki.ProvenanceDecision{}, err
	}
	sources := make([]wiki.Source, 0, len(p.candidates))
	for id, c := range p.candidates {
		source := wiki.Source{
			ID: id, Curated: c.facts.curated, System: c.facts.system, Standing: c.facts.Status == wiki.StatusPublished,
			Disputed: disputed[id], Keyword: c.Lanes[wiki.LaneKeyword].Score,
		}
		if semantic := c.Lanes[wiki.LaneSemantic]; semantic.Known {
			cosine := wiki.Cosine(semantic.Score)
			source.Cosine = &cosine
		}
		sources = append(sources, source)
	}
	return wiki.DecideProvenance(s.settings.Provenance, sources), nil
}

// hoist puts the winner first and leaves the rest as it is.
func hoist(order []wiki.Scored, winner *uuid.UUID) []wiki.Scored {
	if winner == nil {
		return order
	}
	out := make([]wiki.Scored, 0, len(order))
	for _, scored := range order {
		if scored.ID == *winner {
			out = append([]wiki.Scored{scored}, out...)
			continue
		}
		out = append(out, scored)
	}
	return out
}

// diversify chooses the page. The winner is pinned: meta names it, so the page must hold it.
func (s *Service) diversify(ctx context.Context, tx postgres.Tx, l *look, p *pool, order []wiki.Scored, winner *uuid.UUID) ([]wiki.Scored, wiki.DiversityReport, error) {
	head := order[:min(len(order), max(l.query.Limit, min(overFetch*l.query.Limit, maxOverFetch)))]
	loaded := map[uuid.UUID][]float32{}
	if l.reason != reasonTimeout { // a table that was too slow to compare is not asked again
		var err error
		if loaded, err = s.vectors.Load(ctx, tx, l.model, idsOf(head)); err != nil {
			return nil, wiki.DiversityReport{}, err
		}
	}
	candidates := make([]wiki.Diverse, len(head))
	scores := map[uuid.UUID]float64{}
	for i, scored := range head {
		candidates[i] = wiki.Diverse{
			ID: scored.ID, Score: scored.Score, ContentHash: p.candidates[scored.ID].facts.contentHash, Vector: loaded[scored.ID],
			Pinned: winner != nil && scored.ID == *winner,
		}
		scores[scored.ID] = scored.Score
	}
	selected, report := wiki.SelectDiverse(s.settings.Diversity, candidates, l.query.Limit)
	out := make([]wiki.Scored, len(selected))
	for i, c := range selected {
		out[i] = wiki.Scored{ID: c.ID, Score: scores[c.ID]}
	}
	return out, report, nil
}
