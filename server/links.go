package server

import (
	"net/http"

	"wiki/core/articles"
	"wiki/core/record"
	"wiki/core/wiki"
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

const opinionNote = "the link is kept and retires nothing, since only a user's word does; dispute the pair with POST " + apiPrefix +
	"/knowledge/conflicts so that a curator sees it"

func (s *Server) createLink(q *request) (*answer, error) {
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	in, err := decode[api.NewLink](q)
	if err != nil {
		return nil, err
	}
	link := record.NewLink{Source: in.SourceID, Target: in.TargetID, Relation: wiki.Relation(in.Relationship), Metadata: in.Metadata}
	edge, isNew, err := s.core.Record.Link(q.Context(), q.actor, link, key)
	if err != nil {
		return nil, err
	}
	a := created(linkView(edge))
	if !isNew {
		a.status = http.StatusOK
	}
	switch {
	case edge.Relation == wiki.RelSupersedes && edge.Retires:
		a = a.with(api.Meta{StillLive: s.stillLive(q, edge.Target, edge.Source)})
	case edge.Relation == wiki.RelSupersedes:
		a = a.with(api.Meta{Note: opinionNote})
	}
	return a, nil
}

func (s *Server) deleteLink(q *request) (*answer, error) {
	id, err := q.pathID("id")
	if err != nil {
		return nil, err
	}
	key, err := q.actKey()
	if err != nil {
		return nil, err
	}
	return noContent(), s.core.Record.Unlink(q.Context(), q.actor, id, key)
}

func linkView(e articles.Edge) api.Link {
	return api.Link{
		ID: e.ID, Relationship: string(e.Relation), Metadata: e.Metadata, Retires: e.Retires,
		Source: api.ArticleRef{ID: e.From.ID, Title: e.From.Title}, Target: api.ArticleRef{ID: e.To.ID, Title: e.To.Title},
	}
}
