package server

import (
	"github.com/google/uuid"

	"wiki/core/conflicts"
	"wiki/core/wiki"
	"wiki/server/api"
)

func (s *Server) listConflictViews(q *request) (*answer, error) {
	views, err := s.core.Conflicts.Views(q.Context(), q.actor)
	if err != nil {
		return nil, err
	}
	return ok(all(views, savedView)), nil
}

func (s *Server) saveConflictView(q *request) (*answer, error) {
	in, err := decode[api.NewConflictView](q)
	if err != nil {
		return nil, err
	}
	f := in.Filter
	var article uuid.UUID
	if f.ArticleID != nil {
		article = *f.ArticleID
	}
	v, err := s.core.Conflicts.SaveView(q.Context(), q.actor, in.Name, conflicts.Filter{
		State: wiki.ConflictState(f.State), Kind: f.Kind, Category: wiki.Category(f.Category), MinSimilarity: f.MinSimilarity, MaxSimilarity: f.MaxSimilarity,
		By: f.By, Article: article, MinAgeHours: f.MinAgeHours, MaxAgeHours: f.MaxAgeHours, Sort: conflicts.Sort(f.Sort),
	})
	if err != nil {
		return nil, err
	}
	return ok(savedView(v)), nil
}

func (s *Server) deleteConflictView(q *request) (*answer, error) {
	p := q.params()
	name := p.text("name", conflicts.MaxViewNameRunes)
	if p.err != nil {
		return nil, p.err
	}
	if err := s.core.Conflicts.DeleteView(q.Context(), q.actor, name); err != nil {
		return nil, err
	}
	return noContent(), nil
}

func savedView(v conflicts.View) api.ConflictView {
	f := v.Filter
	var article *uuid.UUID
	if f.Article != uuid.Nil {
		article = &f.Article
	}
	return api.ConflictView{Name: v.Name, UpdatedAt: v.UpdatedAt, Filter: api.ConflictQuery{
		State: string(f.State), Kind: f.Kind, Category: string(f.Category), MinSimilarity: f.MinSimilarity, MaxSimilarity: f.MaxSimilarity,
		By: f.By, ArticleID: article, MinAgeHours: f.MinAgeHours, MaxAgeHours: f.MaxAgeHours, Sort: string(f.Sort),
	}}
}
