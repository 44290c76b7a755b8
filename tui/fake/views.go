package fake

import (
	"context"
	"slices"
	"strings"

	"wiki/core/wiki"
	"wiki/server/api"
)

// ConflictViews implements listing the caller's saved filters, by name.
func (s *Server) ConflictViews(context.Context) ([]api.ConflictView, error) {
	if err := s.begin("views"); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return slices.Clone(s.views), nil
}

// SaveConflictView implements keeping a filter under a name, in the place of one.
func (s *Server) SaveConflictView(_ context.Context, in api.NewConflictView) (api.ConflictView, error) {
	if err := s.begin("save view"); err != nil {
		return api.ConflictView{}, err
	}
	defer s.mu.Unlock()
	in.Filter.Limit, in.Filter.Cursor = 0, ""
	v := api.ConflictView{Name: in.Name, Filter: in.Filter, UpdatedAt: s.now()}
	s.views = append(slices.DeleteFunc(s.views, func(x api.ConflictView) bool { return x.Name == in.Name }), v)
	slices.SortFunc(s.views, func(a, b api.ConflictView) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return v, nil
}

// DeleteConflictView implements dropping one.
func (s *Server) DeleteConflictView(_ context.Context, name string) error {
	if err := s.begin("delete view"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	before := len(s.views)
	s.views = slices.DeleteFunc(s.views, func(x api.ConflictView) bool { return x.Name == name })
	if len(s.views) == before {
		return wiki.NotFound()
	}
	return nil
}
