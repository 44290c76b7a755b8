// Package server is the HTTP surface: routes on one page, one file per resource, and handlers that decode, call a service
// of the core and encode. What the wiki may and may not do is decided in the core; here is decided how it is said.
package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"wiki/core"
	"wiki/server/metrics"
)

const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// Server answers the HTTP API for one core.
type Server struct {
	core     *core.Core
	settings Settings
	log      *slog.Logger
	router   chi.Router
	metrics  *metrics.Metrics
	known    map[string]bool // route patterns: what else is called is counted as one
	stopping chan struct{}   // closed when the drain begins: event streams end then
}

// New makes the server; Handler or Serve puts it to work.
func New(c *core.Core, settings Settings) *Server {
	settings = settings.withDefaults()
	s := &Server{core: c, settings: settings, log: settings.Log, stopping: make(chan struct{})}
	s.metrics = metrics.New(c, metrics.Settings{Version: settings.Version, Keep: settings.BacklogKeep, Log: s.log})
	s.router = s.routes()
	s.known = patterns()
	return s
}

// Handler is the whole API, for tests and for a listener of one's own.
func (s *Server) Handler() http.Handler { return s.router }

// Serve answers on the listener until ctx ends, then drains: no new calls, those in flight get DrainTimeout. The error is
// nil after a drain, even one that ran out of time; a listener that fails gives its error. It can be called once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	web := s.web(s.router)
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	close(s.stopping)
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.settings.DrainTimeout)
	defer cancel()
	if err := web.Shutdown(drain); err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "calls were still running when the drain ended", slog.Any("error", err))
		_ = web.Close()
	}
	if err := <-failed; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *Server) web(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}
