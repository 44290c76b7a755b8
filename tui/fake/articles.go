package fake

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
)

// Keep puts an article on the server that is in no pair.
func (s *Server) Keep(a api.Article) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.articles = append(s.articles, &a)
}

// Kept gives an article as it is now.
func (s *Server) Kept(id uuid.UUID) api.Article {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.kept(id); a != nil {
		return *a
	}
	return api.Article{}
}

func (s *Server) kept(id uuid.UUID) *api.Article {
	for _, a := range s.articles {
		if a.ID == id {
			return a
		}
	}
	return nil
}

// Articles implements the list.
func (s *Server) Articles(_ context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error) {
	if err := s.begin("articles"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	var out []api.Article
	for _, a := range s.articles {
		hidden := q.Suppressed != nil && *q.Suppressed
		if (a.SuppressedAt != nil) == hidden && (q.Status == "" || q.Status == a.Status) {
			out = append(out, *a)
		}
	}
	total := len(out)
	return out, api.Meta{TotalCount: &total}, nil
}

// Search implements a ranked read: it finds nothing.
func (s *Server) Search(context.Context, api.SearchQuery) ([]api.Hit, api.Meta, error) {
	if err := s.begin("search"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	return nil, api.Meta{}, nil
}

// Suppress implements hiding an article.
func (s *Server) Suppress(_ context.Context, id uuid.UUID, reason, key string) (api.Article, error) {
	return s.changeKept("article.suppress", id, key, func(a *api.Article) (map[string]any, error) {
		if a.SuppressedAt != nil {
			return nil, wiki.Errorf(wiki.CodeTransition, "the article is suppressed already, by %s: %s", a.SuppressedBy, a.SuppressionReason)
		}
		now := s.now()
		a.SuppressedAt, a.SuppressedBy, a.SuppressionReason = &now, s.who.Principal, reason
		return map[string]any{"reason": reason}, nil
	})
}

// Unsuppress implements lifting that.
func (s *Server) Unsuppress(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.changeKept("article.unsuppress", id, key, func(a *api.Article) (map[string]any, error) {
		if a.SuppressedAt == nil {
			return nil, wiki.Errorf(wiki.CodeTransition, "the article is not suppressed")
		}
		was := a.SuppressionReason
		a.SuppressedAt, a.SuppressedBy, a.SuppressionReason = nil, "", ""
		return map[string]any{"reason": "", "was": was}, nil
	})
}

// changeKept does an act once for its key, and logs it.
func (s *Server) changeKept(act string, id uuid.UUID, key string, change func(*api.Article) (map[string]any, error)) (api.Article, error) {
	if err := s.begin(act); err != nil {
		return api.Article{}, err
	}
	defer s.mu.Unlock()
	a := s.kept(id)
	if a == nil {
		return api.Article{}, wiki.NotFound()
	}
	if _, repeated := s.byKey[key]; repeated && key != "" {
		return *a, nil
	}
	detail, err := change(a)
	if err != nil {
		return api.Article{}, err
	}
	s.byKey[key] = true
	s.log = append(s.log, api.AuditEntry{
		ID: int64(len(s.log) + 1), Principal: s.who.Principal, Role: s.who.Role, Act: act, Subject: &a.ID, Title: a.Title, Detail: detail, At: s.now(),
	})
	return *a, nil
}

// Audit implements the log of acts on kept articles, newest first.
func (s *Server) Audit(_ context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error) {
	if err := s.begin("audit"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	var out []api.AuditEntry
	for i := len(s.log) - 1; i >= 0; i-- {
		if e := s.log[i]; q.Principal == "" || q.Principal == e.Principal {
			out = append(out, e)
		}
	}
	return out, api.Meta{}, nil
}

// Submit notes a submission that drifted from a kept article.
func (s *Server) Submit(d api.Drift) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.State = "open"
	s.drift = append(s.drift, &d)
}

// Drift implements the list.
func (s *Server) Drift(_ context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error) {
	if err := s.begin("drift"); err != nil {
		return nil, api.Meta{}, err
	}
	defer s.mu.Unlock()
	var out []api.Drift
	for _, d := range s.drift {
		if d.State == q.State {
			out = append(out, *d)
		}
	}
	return out, api.Meta{}, nil
}

// AdoptDrift implements making a submission the article's next version.
func (s *Server) AdoptDrift(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.settleDrift("drift.adopt", "adopted", id, key)
}

// DismissDrift implements closing it.
func (s *Server) DismissDrift(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.settleDrift("drift.dismiss", "dismissed", id, key)
}

func (s *Server) settleDrift(act, to string, id uuid.UUID, key string) (api.Article, error) {
	i := slices.IndexFunc(s.drift, func(d *api.Drift) bool { return d.ID == id })
	if i < 0 {
		return api.Article{}, wiki.NotFound()
	}
	d := s.drift[i]
	return s.changeKept(act, d.Article.ID, key, func(a *api.Article) (map[string]any, error) {
		if d.State != "open" {
			return nil, wiki.Errorf(wiki.CodeTransition, "the drift event is %s already", d.State)
		}
		d.State = to
		if to == "adopted" {
			s.write(a, a.Title, d.Body)
		}
		return map[string]any{"version": float64(a.Version)}, nil
	})
}

// write gives a kept article another text; the one before is kept.
func (s *Server) write(a *api.Article, title string, body *string) {
	s.past[a.ID] = append(s.past[a.ID], api.ArticleVersion{Version: a.Version, Title: a.Title, Body: a.Body})
	a.Title, a.Body, a.Version = title, body, a.Version+1
}

// Versions implements the history, newest first.
func (s *Server) Versions(_ context.Context, id uuid.UUID) ([]api.ArticleVersion, error) {
	if err := s.begin("versions"); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	a := s.kept(id)
	if a == nil {
		return nil, wiki.NotFound()
	}
	all := append(slices.Clone(s.past[id]), api.ArticleVersion{Version: a.Version, Title: a.Title, Body: a.Body})
	slices.Reverse(all)
	return all, nil
}

// Version implements reading one of them.
func (s *Server) Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error) {
	all, err := s.Versions(ctx, id)
	if err != nil {
		return api.ArticleVersion{}, err
	}
	for _, v := range all {
		if v.Version == n {
			return v, nil
		}
	}
	return api.ArticleVersion{}, wiki.NotFound()
}

// Update implements a change of title and body.
func (s *Server) Update(_ context.Context, id uuid.UUID, ifMatch int, p api.ArticlePatch, key string) (api.Article, error) {
	return s.changeKept("article.update", id, key, func(a *api.Article) (map[string]any, error) {
		if ifMatch > 0 && ifMatch != a.Version {
			return nil, wiki.Errorf(wiki.CodeVersionMismatch, "the article is at version %d", a.Version)
		}
		if p.Status != nil {
			a.Status = *p.Status
			return map[string]any{"version": float64(a.Version)}, nil
		}
		title := a.Title
		if p.Title != nil {
			title = *p.Title
		}
		s.write(a, title, p.Body)
		return map[string]any{"version": float64(a.Version)}, nil
	})
}

// Publish implements publishing a draft.
func (s *Server) Publish(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.move("article.publish", id, "draft", "published", key)
}

// Unpublish implements making it a draft again.
func (s *Server) Unpublish(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.move("article.unpublish", id, "published", "draft", key)
}

// Archive implements retiring an article.
func (s *Server) Archive(_ context.Context, id uuid.UUID, key string) (api.Article, error) {
	return s.move("article.archive", id, "draft", "archived", key)
}

func (s *Server) move(act string, id uuid.UUID, from, to, key string) (api.Article, error) {
	return s.changeKept(act, id, key, func(a *api.Article) (map[string]any, error) {
		if a.Status != from {
			return nil, wiki.Errorf(wiki.CodeTransition, "cannot transition from %s to %s", a.Status, to)
		}
		a.Status = to
		return map[string]any{"version": float64(a.Version)}, nil
	})
}
