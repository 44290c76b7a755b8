package embedding_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"wiki/core/embedding"
)

const secret = "sk-very-secret"

// request is what a client sent.
type request struct {
	Model      string
	Input      []string
	Dimensions int
}

// item is one vector of an answer.
type item struct {
	Index     int       `json:"index"`
	Embedding []float32 `json:"embedding"`
}

// service is an embeddings service on a local port that answers with the built-in model's vectors, until a test puts
// faults in front: each takes one request.
type service struct {
	*httptest.Server
	t testing.TB

	mu     sync.Mutex
	faults []http.HandlerFunc
	seen   []request
}

func newService(t testing.TB, faults ...http.HandlerFunc) *service {
	s := &service{t: t, faults: faults}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) endpoint(t testing.TB, cfg embedding.EndpointConfig) *embedding.Endpoint {
	t.Helper()
	cfg.BaseURL, cfg.Model, cfg.Key = s.URL+"/v1/", "local-minilm", secret
	if cfg.Dims == 0 {
		cfg.Dims = 384
	}
	e, err := embedding.NewEndpoint(cfg)
	require.NoError(t, err)
	return e
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req request
	err := json.NewDecoder(r.Body).Decode(&req)
	if err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+secret {
		s.t.Errorf("not an embeddings request: %s %v %v", r.URL.Path, r.Header, err)
	}
	s.mu.Lock()
	s.seen = append(s.seen, req)
	var fault http.HandlerFunc
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
	}
	s.mu.Unlock()
	if fault != nil {
		fault(w, r)
		return
	}
	docs, err := builtIn(s.t).Embed(r.Context(), req.Input)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var items []item
	for i, d := range docs {
		items = append(items, item{i, d.Whole})
	}
	slices.Reverse(items) // services may answer in any order
	answer(w, items)
}

func (s *service) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

func answer(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data})
}

// status answers with a status and a body that quotes the key, as some services do.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		http.Error(w, `{"error":{"message":"incorrect key `+secret+`"}}`, code)
	}
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}
