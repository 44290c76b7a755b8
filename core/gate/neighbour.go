package gate

import (
	"context"

	"github.com/google/uuid"

	"wiki/core/articles"
	"wiki/core/postgres"
	"wiki/core/wiki"
)

// readNeighbours reads what the assessor found, as it stands now: one that vanished, was unpublished or suppressed since is
// left out, so that a proposal whose duplicate is gone is judged by the rest (seed, invariant 1). A private article is no
// neighbour of a shared one: what only some can read does not make a page redundant to the others.
func (s Service) readNeighbours(ctx context.Context, actor wiki.Actor, a wiki.Article, found []Neighbour) ([]wiki.Near, error) {
	if len(found) == 0 {
		return nil, nil
	}
	ids := make([]uuid.UUID, len(found))
	for i, n := range found {
		ids[i] = n.ID
	}
	var byID map[uuid.UUID]wiki.Article
	err := s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var err error
		byID, err = articles.GetMany(ctx, tx, actor, ids)
		return err
	})
	if err != nil {
		return nil, err
	}
	near := make([]wiki.Near, 0, len(found))
	for _, n := range found {
		b, ok := byID[n.ID]
		if !ok || !isNeighbour(actor, a, b) {
			continue
		}
		near = append(near, wiki.Near{ID: b.ID, Cosine: n.Cosine, Title: b.Title, Body: b.Body, Canon: b.Scope == wiki.ScopeSystem})
	}
	return near, nil
}

// isNeighbour says whether b counts as a neighbour of a: published, not suppressed, and not private to others than a is.
func isNeighbour(actor wiki.Actor, a, b wiki.Article) bool {
	_, private := wiki.VisibilityOf(b.Metadata, b.CreatedBy.Principal)
	return b.Status == wiki.StatusPublished && !b.Suppressed() && (private == "" || private == owner(actor, a))
}

// duplicate answers with the neighbour that says it already. The article is a neighbour by similarity and not the caller's
// own capture: so the drift flags say only how the two differ, no warning is logged and no drift event is kept. A neighbour
// that vanished meanwhile sends the proposal round again, to be created.
func (s Service) duplicate(ctx context.Context, actor wiki.Actor, p Proposal, judged wiki.Novelty) (Outcome, error) {
	o := Outcome{Verdict: Duplicate, Neighbour: judged.Nearest, Note: noteNeighbour}
	err := s.unlessTaken(ctx, actor, p, nil)
	if err != nil {
		return Outcome{}, err
	}
	err = s.DB.TenantRead(ctx, actor.Tenant, func(ctx context.Context, tx postgres.Tx) error {
		var err error
		o.Article, err = orNone(articles.Get(ctx, tx, actor, judged.Nearest.ID))
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	if o.Article == nil || o.Article.Status != wiki.StatusPublished || o.Article.Suppressed() {
		return Outcome{}, errStartOver
	}
	o.compareWith(p, *o.Article)
	return o, nil
}

// unlessTaken gives the answer err, unless the proposal's own capture has come to stand while it was compared: then the
// proposal starts over and is answered by that. A skip is decided last, and of two identical proposals at once the loser
// must hear deduplicated, not that it resembles the winner.
func (s Service) unlessTaken(ctx context.Context, actor wiki.Actor, p Proposal, err error) error {
	_, found, lookup := s.lookUp(ctx, actor, p)
	if lookup != nil {
		return lookup
	}
	if found.article != nil {
		return errStartOver
	}
	return err
}
