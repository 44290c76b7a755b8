package search

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/timing"
	"wiki/core/vectors"
	"wiki/core/wiki"
)

// Limits of suggested links (facts §3.4).
const (
	DefaultSuggestions                     = 5
	MaxSuggestions                         = 50
	DefaultSuggestionThreshold wiki.Cosine = 0.5
)

// Near is an article that says much the same as another.
type Near struct {
	Stub
	Cosine wiki.Cosine // whole text against whole text
}

// Suggestions is what an article could be linked with.
type Suggestions struct {
	Articles []Near // nearest first
	Note     string // why nothing could be compared
}

const noteUnmeasured = "the article has no vector of the current model, so nothing could be compared with it"

// SuggestLinks gives the articles nearest to one, from threshold up, without itself and whatever it is linked with already.
// limit 0 = DefaultSuggestions. NotFound when the actor may not see the article; CodeInvalid on "limit" and "threshold".
func (s *Service) SuggestLinks(ctx context.Context, actor wiki.Actor, id uuid.UUID, threshold wiki.Cosine, limit int) (Suggestions, error) {
	if limit == 0 {
		limit = DefaultSuggestions
	}
	if limit < 1 || limit > MaxSuggestions {
		return Suggestions{}, wiki.Invalid("limit", "limit must be between 1 and %d", MaxSuggestions)
	}
	if !(threshold >= 0 && threshold <= 1) { // NaN is neither
		return Suggestions{}, wiki.Invalid("threshold", "threshold must be between 0 and 1")
	}
	var out Suggestions
	err := s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		if _, err := articles.Get(ctx, tx, actor, id); err != nil {
			return err
		}
		linked, err := articles.Linked(ctx, tx, actor.Tenant, id)
		if err != nil {
			return err
		}
		near, measured, err := s.near(ctx, tx, actor, id, linked, threshold, limit)
		out.Articles = near
		if !measured {
			out.Note = noteUnmeasured
		}
		return err
	})
	return out, err
}

// StillLive gives the published articles that say almost what an article says: when that one is superseded, they are where
// its claim lives on (case 31). besides are left out, such as the article that took its place.
func (s *Service) StillLive(ctx context.Context, actor wiki.Actor, id uuid.UUID, besides ...uuid.UUID) (live []Near, err error) {
	at := wiki.Cosine(s.embedder.Model().ConflictAt)
	err = s.db.HeavyRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		live, _, err = s.near(ctx, tx, actor, id, besides, at, MaxSuggestions)
		return err
	})
	return live, err
}

// near compares whole with whole. measured is false when the article has no vector.
func (s *Service) near(ctx context.Context, tx postgres.Tx, actor wiki.Actor, id uuid.UUID, besides []uuid.UUID, from wiki.Cosine, limit int) (out []Near, measured bool, err error) {
	model := s.embedder.Model().ID
	own, err := s.vectors.Load(ctx, tx, model, []uuid.UUID{id})
	if err != nil || own[id] == nil {
		return nil, false, err
	}
	nearest := timing.Span(ctx, timing.Nearest)
	found, err := s.vectors.Nearest(ctx, tx, vectors.Query{
		Model: model, Vector: own[id], Whole: true, Limit: limit, PublishedOnly: true, Viewer: actor, Exclude: append([]uuid.UUID{id}, besides...),
	})
	nearest()
	if err != nil {
		return nil, true, err
	}
	ids := make([]uuid.UUID, 0, len(found))
	for _, n := range found {
		ids = append(ids, n.Article)
	}
	named, err := stubs(ctx, tx, ids)
	if err != nil {
		return nil, true, err
	}
	for _, n := range found {
		if n.Cosine >= from {
			out = append(out, Near{Stub: named[n.Article], Cosine: n.Cosine})
		}
	}
	return out, true, nil
}
