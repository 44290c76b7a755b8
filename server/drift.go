package server

import (
	"wiki/core/articles"
	"wiki/server/api"
)

func (s *Server) listDrift(q *request) (*answer, error) {
	p := q.params()
	f := articles.DriftFilter{
		State: p.choice("state", articles.DriftOpen, articles.DriftAdopted, articles.DriftDismissed),
		Limit: p.number("limit", articles.DefaultLimit, 1, articles.MaxLimit), Cursor: p.cursor("cursor"),
	}
	if id := p.id("article_id"); id != nil {
		f.Article = *id
	}
	if p.err != nil {
		return nil, p.err
	}
	list, next, err := s.core.Articles.Drifts(q.Context(), q.actor, f)
	if err != nil {
		return nil, err
	}
	counts, err := s.core.Articles.DriftCounts(q.Context(), q.actor, f.Article)
	if err != nil {
		return nil, err
	}
	return ok(all(list, driftView)).with(api.Meta{Limit: f.Limit, NextCursor: next, Counts: counts}), nil
}

func (s *Server) adoptDrift(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.AdoptDrift(q.Context(), q.actor, in.id, in.key))
}

func (s *Server) dismissDrift(q *request) (*answer, error) {
	in, err := q.act()
	if err != nil {
		return nil, err
	}
	return changed(s.core.Record.DismissDrift(q.Context(), q.actor, in.id, in.key))
}

func driftView(d articles.Drift) api.Drift {
	return api.Drift{
		ID: d.ID, Article: api.ArticleRef{ID: d.Article.ID, Title: d.Article.Title}, ArticleVersion: d.ArticleVersion,
		Title: d.Title, Body: d.Body, ContentDrift: d.ContentDrift, TitleDrift: d.TitleDrift,
		SubmittedBy: d.SubmittedBy.Principal, SubmittedAt: d.SubmittedAt, State: d.State,
	}
}
