package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"wiki/core/wiki"
	"wiki/server/mcp"
)

const (
	apiPrefix  = "/api/v1"
	healthPath = "/health"
	readyPath  = "/health/ready"
)

// handler is one route's work: it gives an answer or an error.
type handler func(*Server, *request) (*answer, error)

// route is one line of the page below. least is what the key's role must be at least; the core asks again for whatever
// depends on more than the role.
type route struct {
	method string
	path   string
	least  wiki.Role
	handle handler
	limit  int64 // of the body, bytes; 0 = DefaultBodyLimit
	stream bool  // no timeout: the call lives as long as the caller listens
}

const (
	get    = http.MethodGet
	post   = http.MethodPost
	patch  = http.MethodPatch
	put    = http.MethodPut
	remove = http.MethodDelete

	agent        = wiki.RoleAgent
	orchestrator = wiki.RoleOrchestrator
	user         = wiki.RoleUser
)

// table is every route below /api/v1 (SPEC §1 for the roles).
func table() []route { return slices.Concat(pageRoutes(), conflictRoutes()) }

func pageRoutes() []route {
	return []route{
		{method: get, path: "/whoami", least: agent, handle: (*Server).whoami},
		{method: get, path: "/keys", least: user, handle: (*Server).listKeys},
		{method: post, path: "/keys", least: user, handle: (*Server).createKey},
		{method: remove, path: "/keys/{id}", least: user, handle: (*Server).revokeKey},
		{method: post, path: "/keys/{id}/rotate", least: user, handle: (*Server).rotateKey},
		{method: get, path: "/dispatches", least: agent, handle: (*Server).listDispatches},
		{method: post, path: "/dispatches", least: agent, handle: (*Server).mintDispatch},
		{method: remove, path: "/dispatches/{id}", least: agent, handle: (*Server).revokeDispatch},

		{method: get, path: "/articles", least: agent, handle: (*Server).listArticles},
		{method: post, path: "/articles", least: agent, handle: (*Server).propose, limit: ArticleBodyLimit},
		{method: get, path: "/articles/{id}", least: agent, handle: (*Server).showArticle},
		{method: patch, path: "/articles/{id}", least: agent, handle: (*Server).updateArticle, limit: ArticleBodyLimit},
		{method: put, path: "/articles/{id}", least: agent, handle: (*Server).updateArticle, limit: ArticleBodyLimit},
		{method: remove, path: "/articles/{id}", least: agent, handle: (*Server).deleteArticle},
		{method: post, path: "/articles/{id}/publish", least: orchestrator, handle: (*Server).publishArticle},
		{method: post, path: "/articles/{id}/unpublish", least: user, handle: (*Server).unpublishArticle},
		{method: post, path: "/articles/{id}/archive", least: agent, handle: (*Server).archiveArticle},
		{method: post, path: "/articles/{id}/suppress", least: agent, handle: (*Server).suppressArticle},
		{method: post, path: "/articles/{id}/unsuppress", least: agent, handle: (*Server).unsuppressArticle},
		{method: post, path: "/articles/{id}/curate", least: user, handle: (*Server).curateArticle},
		{method: post, path: "/articles/{id}/uncurate", least: user, handle: (*Server).uncurateArticle},
		{method: get, path: "/articles/{id}/links", least: agent, handle: (*Server).listLinks},
		{method: get, path: "/articles/{id}/versions", least: agent, handle: (*Server).listVersions},
		{method: get, path: "/articles/{id}/versions/{n}", least: agent, handle: (*Server).showVersion},
		{method: get, path: "/articles/{id}/versions/diff", least: agent, handle: (*Server).diffVersions},
		{method: post, path: "/articles/{id}/versions/{n}/restore", least: agent, handle: (*Server).restoreVersion},
		{method: post, path: "/article_links", least: agent, handle: (*Server).createLink},
		{method: remove, path: "/article_links/{id}", least: user, handle: (*Server).deleteLink},

		{method: get, path: "/knowledge/search", least: agent, handle: (*Server).search},
		{method: post, path: "/knowledge/hybrid_search", least: agent, handle: (*Server).hybridSearch},
		{method: get, path: "/knowledge/context", least: agent, handle: (*Server).context},
		{method: get, path: "/knowledge/pipeline", least: orchestrator, handle: (*Server).pipeline},
		{method: get, path: "/knowledge/nights", least: orchestrator, handle: (*Server).nights},
		{method: get, path: "/knowledge/stats", least: agent, handle: (*Server).stats},
		{method: get, path: "/knowledge/count", least: agent, handle: (*Server).count},
		{method: get, path: "/knowledge/facets", least: agent, handle: (*Server).facets},
		{method: get, path: "/knowledge/index", least: agent, handle: (*Server).index},
		{method: get, path: "/knowledge/graph", least: agent, handle: (*Server).graph},
		{method: get, path: "/knowledge/articles/{id}/suggested_links", least: agent, handle: (*Server).suggestLinks},
		{method: get, path: "/knowledge/progressive_index", least: agent, handle: (*Server).progressive},
		{method: get, path: drillPath, least: agent, handle: (*Server).drill},
		{method: get, path: "/knowledge/heat_index", least: agent, handle: (*Server).heat},

		{method: get, path: "/knowledge/drift", least: agent, handle: (*Server).listDrift},
		{method: post, path: "/knowledge/drift/{id}/adopt", least: agent, handle: (*Server).adoptDrift},
		{method: post, path: "/knowledge/drift/{id}/dismiss", least: agent, handle: (*Server).dismissDrift},

		{method: post, path: "/knowledge/bulk-archive", least: user, handle: (*Server).bulkArchive},
		{method: post, path: "/knowledge/bulk-delete", least: user, handle: (*Server).bulkDelete},
		{method: post, path: "/knowledge/bulk-publish", least: user, handle: (*Server).bulkPublish},
		{method: post, path: "/knowledge/bulk-unpublish", least: user, handle: (*Server).bulkUnpublish},
		{method: post, path: "/knowledge/bulk-retag", least: user, handle: (*Server).bulkRetag},
		{method: get, path: "/proposals", least: agent, handle: (*Server).listProposals},
		{method: post, path: "/proposals", least: agent, handle: (*Server).mintProposal},
		{method: get, path: "/proposals/{id}", least: agent, handle: (*Server).showProposal},
		{method: get, path: "/proposals/{id}/items", least: agent, handle: (*Server).listProposalItems},
		{method: post, path: "/proposals/{id}/approve", least: user, handle: (*Server).approveProposal},
		{method: post, path: "/proposals/{id}/reject", least: user, handle: (*Server).rejectProposal},
		{method: post, path: "/proposals/{id}/withdraw", least: agent, handle: (*Server).withdrawProposal},
		{method: post, path: "/proposals/{id}/execute", least: user, handle: (*Server).executeProposal},

		{method: get, path: "/audit", least: agent, handle: (*Server).listAudit},
		{method: get, path: "/events", least: agent, handle: (*Server).streamEvents, stream: true},
	}
}

func conflictRoutes() []route {
	return []route{
		{method: get, path: "/knowledge/conflicts", least: agent, handle: (*Server).listConflicts},
		{method: post, path: "/knowledge/conflicts", least: agent, handle: (*Server).assertConflict},
		{method: get, path: "/knowledge/conflicts/groups", least: agent, handle: (*Server).listConflictGroups},
		{method: get, path: "/knowledge/conflicts/views", least: agent, handle: (*Server).listConflictViews},
		{method: put, path: "/knowledge/conflicts/views", least: agent, handle: (*Server).saveConflictView},
		{method: remove, path: "/knowledge/conflicts/views", least: agent, handle: (*Server).deleteConflictView},
		{method: get, path: "/knowledge/conflicts/{pair}", least: agent, handle: (*Server).showConflict},
		{method: post, path: "/knowledge/conflicts/{pair}/claim", least: agent, handle: (*Server).claimConflict},
		{method: remove, path: "/knowledge/conflicts/{pair}/claim", least: agent, handle: (*Server).releaseConflict},
		{method: post, path: "/knowledge/conflicts/resolve", least: agent, handle: (*Server).judge},
		{method: post, path: "/knowledge/conflicts/execute", least: user, handle: (*Server).executeVerdicts},
		{method: get, path: "/knowledge/conflicts/verdicts", least: agent, handle: (*Server).listVerdicts},
		{method: post, path: "/knowledge/conflicts/verdicts/{id}/withdraw", least: agent, handle: (*Server).withdrawVerdict},
		{method: post, path: "/knowledge/conflicts/verdicts/{id}/revert", least: user, handle: (*Server).revertVerdict},
	}
}

// routes builds the router.
func (s *Server) routes() chi.Router {
	r := chi.NewRouter()
	r.Use(s.identify, s.logged, s.recovered, middleware.GetHead)
	r.NotFound(s.notFound)
	r.MethodNotAllowed(s.methodNotAllowed)
	r.Get(healthPath, s.open((*Server).health))
	r.Get(readyPath, s.open((*Server).ready))
	r.Get(discoveryPath, s.open((*Server).discover))
	r.Get(openapiPath, s.static(descriptionPage))
	r.Get(docsPath, s.static(docsPage))
	for _, t := range table() {
		r.Method(t.method, apiPrefix+t.path, s.guarded(t))
	}
	r.Handle(mcp.Path, s.serveTools(s.tools()))
	return r
}

// guarded is a route behind its key, role, rate and time.
func (s *Server) guarded(t route) http.HandlerFunc {
	if t.limit == 0 {
		t.limit = DefaultBodyLimit
	}
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := s.enter(w, r)
		if err == nil {
			err = id.Actor.Require(t.least)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		ctx := withIdentity(r.Context(), id)
		if t.stream {
			noteOf(ctx).stream = true
			ended := s.metrics.Streaming()
			defer ended()
		} else {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, s.settings.RequestTimeout)
			defer cancel()
		}
		s.answer(t.handle, &request{Request: r.WithContext(ctx), actor: id.Actor, limit: t.limit, wait: s.settings.BodyTimeout, key: s.core.CursorKey, w: w})
	}
}

// open is a route without a key.
func (s *Server) open(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.settings.RequestTimeout)
		defer cancel()
		s.answer(h, &request{Request: r.WithContext(ctx), limit: DefaultBodyLimit, wait: s.settings.BodyTimeout, w: w})
	}
}

func (s *Server) answer(h handler, q *request) {
	watch := q.watched()
	a, err := h(s, q)
	s.metrics.Reads(watch.Spans())
	switch {
	case err != nil:
		s.fail(q.w, q.Request, err)
	case a != nil:
		q.seal(a.meta)
		s.searched(a, watch)
		if q.asksTiming() {
			a.timed(watch)
		}
		s.send(q.w, q.Request, a)
	}
}
