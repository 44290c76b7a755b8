package server

import (
	"wiki/core/articles"
	"wiki/server/api"
)

func (s *Server) listLinks(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	shown, err := s.core.Articles.Get(q.Context(), q.actor, id)
	if err != nil {
		return nil, err
	}
	return ok(append(all(shown.Outgoing, linkView), all(shown.Incoming, linkView)...)), nil
}

func linkView(e articles.Edge) api.Link {
	return api.Link{
		ID: e.ID, Relationship: string(e.Relation), Metadata: e.Metadata,
		Source: api.ArticleRef{ID: e.From.ID, Title: e.From.Title}, Target: api.ArticleRef{ID: e.To.ID, Title: e.To.Title},
	}
}
