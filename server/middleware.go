package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/google/uuid"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/metrics"
)

// headerRequestID names one call; a caller's own id is taken over when it is short and plain.
const headerRequestID = "X-Request-Id"

const maxRequestIDBytes = 64

type contextKey int

const noteKey contextKey = iota

// note is what the layers of one call tell each other for its log line.
type note struct {
	id, code, principal, tenant string
	stream                      bool // it lives as long as its caller listens
}

func noteOf(ctx context.Context) *note {
	n, ok := ctx.Value(noteKey).(*note)
	if !ok {
		return &note{}
	}
	return n
}

func requestID(ctx context.Context) string   { return noteOf(ctx).id }
func noteCode(ctx context.Context, c string) { noteOf(ctx).code = c }

func noteActor(ctx context.Context, a wiki.Actor) {
	n := noteOf(ctx)
	n.principal, n.tenant = a.Principal(), a.Tenant.String()
}

// identify gives the call its id and the headers that every answer carries.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(headerRequestID)
		if id == "" || len(id) > maxRequestIDBytes || strings.ContainsFunc(id, notPlain) {
			id = uuid.NewString()
		}
		h := w.Header()
		h.Set(headerRequestID, id)
		h.Set(api.HeaderVersion, api.Version)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), noteKey, &note{id: id})))
	})
}

func notPlain(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_')
}

// logged writes one line per call, never its body, its query or its key, and counts it.
func (s *Server) logged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		ww := middleware.NewWrapResponseWriter(w, r.ProtoMajor)
		next.ServeHTTP(ww, r)
		n, took := noteOf(r.Context()), time.Since(begun)
		s.metrics.Answered(metrics.Call{Route: s.label(r), Method: r.Method, Status: ww.Status(), Code: n.code, Stream: n.stream, Took: took})
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "request",
			slog.String("request_id", n.id), slog.String("method", r.Method), slog.String("route", routePattern(r)),
			slog.Int("status", ww.Status()), slog.String("code", n.code), slog.String("tenant_id", n.tenant),
			slog.String("principal", n.principal), slog.Int("bytes", ww.BytesWritten()), slog.Duration("took", took))
	})
}

// routePattern is the route without its ids, so that log lines can be counted.
func routePattern(r *http.Request) string {
	if c := chi.RouteContext(r.Context()); c != nil && c.RoutePattern() != "" {
		return c.RoutePattern()
	}
	return "none"
}

// label is the call's route for the metrics: one of those that exist, so that no caller can add to them.
func (s *Server) label(r *http.Request) string {
	if p := routePattern(r); s.known[p] {
		return p
	}
	return metrics.NoRoute
}

// patterns are the routes that are served.
func patterns() map[string]bool {
	known := map[string]bool{healthPath: true, readyPath: true}
	for _, t := range table() {
		known[apiPrefix+t.path] = true
	}
	return known
}

// recovered turns a panic into a coded 500. http.ErrAbortHandler is the one panic that means something to net/http.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it so too
				panic(p)
			}
			s.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", requestID(r.Context())),
				slog.String("route", routePattern(r)), slog.String("stack", string(debug.Stack())))
			s.fail(w, r, fmt.Errorf("panic: %v", p))
		}()
		next.ServeHTTP(w, r)
	})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, wiki.NotFound())
}

// methodNotAllowed answers with the methods that the path does take.
func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodPut, http.MethodDelete} {
		if s.router.Match(chi.NewRouteContext(), m, r.URL.Path) {
			allowed = append(allowed, m)
			if m == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	e := wiki.Errorf(wiki.CodeMethodNotAllowed, "this path does not take %s", strings.ToValidUTF8(r.Method, "?"))
	e.Remedy = "use " + strings.Join(allowed, ", ")
	s.fail(w, r, e)
}
