package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/server/metrics"
)

func TestInternalTextStaysInTheLog(t *testing.T) {
	t.Parallel()
	const secret = "password=hunter2"
	for name, h := range map[string]func(*Server) http.HandlerFunc{
		"a panic": func(*Server) http.HandlerFunc { return func(http.ResponseWriter, *http.Request) { panic(secret) } },
		"an error": func(s *Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errors.New(secret)) }
		},
		"an unknown code": func(s *Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, wiki.Errorf("odd", secret)) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			s := &Server{log: slog.New(slog.NewTextHandler(&log, nil)), metrics: metrics.New(&core.Core{}, metrics.Settings{})}
			w := httptest.NewRecorder()
			s.identify(s.logged(s.recovered(h(s)))).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/x", nil))
			var f api.Failure
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &f))
			require.Equal(t, http.StatusInternalServerError, w.Code)
			require.Equal(t, string(wiki.CodeInternal), f.Error.Code)
			require.NotContains(t, w.Body.String(), "hunter2")
			require.Contains(t, log.String(), secret)
			require.Contains(t, log.String(), f.Error.ErrorID)
		})
	}
}
