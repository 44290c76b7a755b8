package server

import (
	"bytes"
	"context"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"wiki/core/access"
	"wiki/server/mcp"
)

// tools answers the Model Context Protocol. Every call stands by itself, so that any server may take the next one.
func (s *Server) tools() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		id, _ := r.Context().Value(identityKey).(access.Identity)
		return mcp.New(mcp.Config{Routes: inside{routes: s.router, id: id}, Role: id.Actor.Role, Version: s.settings.Version})
	}, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true,
		// It would refuse what a proxy on this machine passes on; a page that rebinds a name to this machine has no key.
		DisableLocalhostProtection: true,
	})
}

// serveTools lets in who has a key. A message is one JSON object, as strict as every other body: a list of messages would
// be many calls that count as one.
func (s *Server) serveTools(tools http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := s.enter(w, r)
		if err == nil {
			err = id.Actor.Require(agent)
		}
		if err == nil && r.Method == http.MethodPost {
			err = s.checkMessage(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
			return
		}
		tools.ServeHTTP(w, r.WithContext(withIdentity(r.Context(), id)))
	}
}

// checkMessage reads the body, checks its form and puts it back.
func (s *Server) checkMessage(w http.ResponseWriter, r *http.Request) error {
	raw, err := readJSON(&request{Request: r, limit: ArticleBodyLimit, wait: s.settings.BodyTimeout, w: w})
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(raw))
	return checkShape(raw)
}

// inside makes a tool's calls on the server's own routes, as the holder of the key that the message came with. The message
// was counted against the key's rate; what it calls is not counted again.
type inside struct {
	routes http.Handler
	id     access.Identity
}

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	// The router would go on where the message's own routing stopped.
	ctx := context.WithValue(r.Context(), chi.RouteCtxKey, (*chi.Context)(nil))
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &written{header: http.Header{}, status: http.StatusOK}
	i.routes.ServeHTTP(w, r.WithContext(withIdentity(ctx, i.id)))
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r}, nil
}

// written is an answer kept in memory.
type written struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *written) Header() http.Header         { return w.header }
func (w *written) WriteHeader(status int)      { w.status = status }
func (w *written) Write(p []byte) (int, error) { return w.body.Write(p) }
