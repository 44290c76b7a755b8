package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"wiki/core/embedding"
	"wiki/core/keyword"
	"wiki/core/postgres"
	"wiki/core/timing"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// Why a page was degraded, beside the embedder's own reasons.
const (
	reasonEmbedder = "embedding_failed"
	reasonTimeout  = "db_statement_timeout"
)

// look is one search under way.
type look struct {
	actor    wiki.Actor
	query    Query
	pool     int       // articles that each lane brings in
	vector   []float32 // nil: no semantic lane
	model    string
	both     bool // measure what one lane found on the other's scale too
	answered Mode
	reason   string // why it is degraded; empty = it is not
	note     string
}

// prepare embeds the query, before any connection is taken: a provider may need seconds. The lanes then read in one
// transaction, so that scores, priors and texts are of one snapshot and a search takes one of the tenant's turns.
func (s *Service) prepare(ctx context.Context, actor wiki.Actor, q Query, both bool) (*look, error) {
	if q.Filter.Status != "" {
		if err := actor.Require(wiki.RoleUser); err != nil {
			return nil, err
		}
	}
	l := &look{actor: actor, query: q, pool: max(s.settings.Pool, q.Offset+q.Limit), both: both, answered: q.Mode, model: s.embedder.Model().ID}
	if q.Mode == ModeKeyword {
		return l, nil
	}
	embedded := timing.Span(ctx, timing.Embed)
	vector, err := s.embedder.EmbedQuery(ctx, q.Text)
	embedded()
	switch {
	case err == nil:
		l.vector = vector
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case wiki.ErrorCode(err) == wiki.CodeInvalid: // no words in it: nothing is broken
		l.note = noteNoWords
		if q.Mode == ModeCombined {
			l.note = noteNoVector
		}
	default:
		return l, l.degrade(err, reasonOf(err))
	}
	return l, nil
}

// degrade goes on by keyword, or gives the error when only the semantic lane was asked for.
func (l *look) degrade(err error, reason string) error {
	l.vector = nil
	if l.query.Mode == ModeCombined {
		l.answered, l.reason = ModeKeywordOnly, reason
		return nil
	}
	var coded *wiki.Error
	if errors.As(err, &coded) {
		return err
	}
	return &wiki.Error{
		Code: wiki.CodeSemanticDown, Message: "the query could not be compared by meaning", Err: err,
		Remedy: "search by keyword, or retry later", Details: map[string]any{"reason": reason},
	}
}

func reasonOf(err error) string {
	var coded *wiki.Error
	if errors.As(err, &coded) {
		if reason, ok := coded.Details["reason"].(string); ok {
			return reason
		}
	}
	return reasonEmbedder
}

// pool is what the lanes found.
type pool struct {
	candidates map[uuid.UUID]*candidate
	fused      bool // ordered by fusion and priors; else by the one lane's score
	lane       wiki.Lane
	complete   bool // no article that matches was left out
}

type candidate struct {
	wiki.Candidate
	facts   facts
	section int // the nearest section; 0 = the whole
}

func (p *pool) add(id uuid.UUID) *candidate {
	c := p.candidates[id]
	if c == nil {
		c = &candidate{Candidate: wiki.Candidate{ID: id, Lanes: map[wiki.Lane]wiki.LaneScore{}}}
		p.candidates[id] = c
	}
	return c
}

func (p *pool) ids(keep func(*candidate) bool) []uuid.UUID {
	ids := []uuid.UUID{}
	for id, c := range p.candidates {
		if keep == nil || keep(c) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (p *pool) scope() string {
	if !p.fused && p.lane == wiki.LaneKeyword && p.complete {
		return ScopeKeywordMatches
	}
	return ScopeMergedCandidates
}

// gather runs the lanes and reads what ranking may know of each candidate.
func (s *Service) gather(ctx context.Context, tx postgres.Tx, l *look) (*pool, error) {
	p := &pool{candidates: map[uuid.UUID]*candidate{}, fused: l.query.Mode == ModeCombined, lane: wiki.LaneKeyword}
	var words keyword.Result
	if l.query.Mode != ModeSemantic {
		var err error
		measured := timing.Span(ctx, timing.Keyword)
		words, err = s.keyword.Search(ctx, tx, keyword.Query{Text: l.query.Text, Limit: l.pool, Viewer: l.actor, Filter: l.query.Filter})
		measured()
		if err != nil {
			return nil, err
		}
		for i, h := range words.Hits {
			p.add(h.Article).Lanes[wiki.LaneKeyword] = wiki.LaneScore{Rank: i + 1, Score: h.Absolute(), Known: true, Raw: h.Score}
		}
		p.complete = !words.Capped
	} else {
		p.lane = wiki.LaneSemantic
	}
	if l.vector != nil {
		if err := s.semantic(ctx, tx, l, p); err != nil {
			return nil, err
		}
	}
	if !p.fused {
		return p, loadFacts(ctx, tx, p)
	}
	if l.both {
		if err := s.completeScores(ctx, tx, l, p, words); err != nil {
			return nil, err
		}
	}
	found := len(p.candidates)
	if err := s.graph(ctx, tx, l, p); err != nil {
		return nil, err
	}
	if l.both && len(p.candidates) > found {
		if err := s.completeScores(ctx, tx, l, p, words); err != nil {
			return nil, err
		}
	}
	return p, loadFacts(ctx, tx, p)
}

// semantic runs the semantic lane behind a savepoint, so that what it runs into cannot take the keyword lane's hits along.
func (s *Service) semantic(ctx context.Context, tx postgres.Tx, l *look, p *pool) error {
	measured := timing.Span(ctx, timing.Semantic)
	defer measured()
	var found []vectors.Neighbour
	err := savepoint(ctx, tx, func(tx postgres.Tx) (err error) {
		found, err = s.vectors.Nearest(ctx, tx, vectors.Query{
			Model: l.model, Vector: l.vector, Limit: l.pool, PublishedOnly: true, Viewer: l.actor, Filter: l.query.Filter,
		})
		return err
	})
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return err
	case postgres.IsTimeout(err) && l.query.Mode == ModeCombined:
		return l.degrade(err, reasonTimeout)
	case wiki.ErrorCode(err) == wiki.CodeSemanticDown:
		return l.degrade(err, embedding.ReasonBadAnswer)
	default:
		return err
	}
	for i, n := range found {
		c := p.add(n.Article)
		c.Lanes[wiki.LaneSemantic] = wiki.LaneScore{Rank: i + 1, Score: float64(n.Cosine), Known: true, Raw: float64(n.Cosine)}
		c.section = n.Section
	}
	return nil
}

func savepoint(ctx context.Context, tx postgres.Tx, fn func(postgres.Tx) error) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("set a savepoint: %w", err)
	}
	if err := fn(postgres.Tx{Tx: inner, Now: tx.Now, NewID: tx.NewID}); err != nil {
		return errors.Join(err, inner.Rollback(ctx))
	}
	return inner.Commit(ctx)
}

// completeScores measures the candidates of one lane on the other's scale. Their rank there stays unknown.
func (s *Service) completeScores(ctx context.Context, tx postgres.Tx, l *look, p *pool, words keyword.Result) error {
	unscored := p.ids(func(c *candidate) bool { return !c.Lanes[wiki.LaneKeyword].Known })
	scores, err := words.Score(ctx, tx, unscored)
	if err != nil {
		return err
	}
	for id, h := range scores {
		p.candidates[id].Lanes[wiki.LaneKeyword] = wiki.LaneScore{Score: h.Absolute(), Known: true, Raw: h.Score}
	}
	if l.vector == nil {
		return nil
	}
	unmeasured := p.ids(func(c *candidate) bool { return !c.Lanes[wiki.LaneSemantic].Known })
	cosines, err := s.vectors.Cosines(ctx, tx, l.model, l.vector, unmeasured)
	if err != nil {
		return err
	}
	for id, n := range cosines {
		p.candidates[id].Lanes[wiki.LaneSemantic] = wiki.LaneScore{Score: float64(n.Cosine), Known: true, Raw: float64(n.Cosine)}
	}
	return nil
}
