package server

import (
	"context"
	"time"

	"wiki/core/wiki"
	"wiki/server/api"
)

// health says that the process answers; it asks nothing of the database, so that a restart of that does not restart this.
func (s *Server) health(*request) (*answer, error) {
	return ok(api.Health{Status: "ok", Version: s.settings.Version}), nil
}

// readyTimeout bounds what a probe waits: a database that takes longer serves nobody well.
const readyTimeout = 2 * time.Second

// ready says whether the server can do its work. The error is CodeUnavailable.
func (s *Server) ready(q *request) (*answer, error) {
	select {
	case <-s.stopping:
		return nil, wiki.Errorf(wiki.CodeUnavailable, "the server is stopping")
	default:
	}
	ctx, cancel := context.WithTimeout(q.Context(), readyTimeout)
	defer cancel()
	if err := s.core.DB.Ping(ctx); err != nil {
		return nil, &wiki.Error{Code: wiki.CodeUnavailable, Message: "the database does not answer", Remedy: "run wiki-server doctor", Err: err}
	}
	return ok(api.Health{Status: "ok", Version: s.settings.Version, Checks: map[string]string{"database": "ok"}}), nil
}
