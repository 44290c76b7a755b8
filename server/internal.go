package server

import (
	"context"
	"net"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

// The paths of the internal listener. They ask for no key: it is meant for the machine itself, or a network of operators.
const (
	MetricsPath       = "/metrics"
	internalHealthy   = "/healthz"
	internalReadiness = "/readyz"
)

// Internal is what an operator's tools ask for: metrics, health and readiness (SPEC §14). The API is not on it.
func (s *Server) Internal() http.Handler {
	r := chi.NewRouter()
	r.Use(s.identify, s.recovered, middleware.GetHead)
	r.NotFound(s.notFound)
	r.Method(get, MetricsPath, s.metrics.Handler())
	r.Get(internalHealthy, s.open((*Server).health))
	r.Get(internalReadiness, s.open((*Server).ready))
	return r
}

// ServeInternal answers on the internal listener until ctx ends. It should outlive Serve, so that the drain can be watched.
func (s *Server) ServeInternal(ctx context.Context, l net.Listener) error {
	web := s.web(s.Internal())
	stop := context.AfterFunc(ctx, func() { _ = web.Close() })
	defer stop()
	if err := web.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}
