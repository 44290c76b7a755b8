package server_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres/pgtest"
	"wiki/core/wiki"
	"wiki/server/api"
)

const faultyDims = 32

// wordVector is an embedding good enough to tell texts apart: their words, hashed into a few numbers.
func wordVector(text string) []float64 {
	v := make([]float64, faultyDims)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(word))
		v[h.Sum32()%faultyDims]++
	}
	return v
}

// provider is an embeddings service over HTTP that answers well until it is told a fault.
type provider struct {
	*httptest.Server
	fault atomic.Pointer[http.HandlerFunc]
}

func newProvider(t *testing.T) *provider {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := p.fault.Load(); f != nil {
			(*f)(w, r)
			return
		}
		var in struct{ Input []string }
		if json.NewDecoder(r.Body).Decode(&in) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var data []map[string]any
		for i, text := range in.Input {
			data = append(data, map[string]any{"index": i, "embedding": wordVector(text)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(p.Close)
	return p
}

// vectors answers with one vector of the given numbers.
func vectors(numbers string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[%s]}]}`, numbers)
	}
}

// tooSlow answers when the caller is gone; that is noticed once the body was read.
func tooSlow(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func repeated(number string, n int) string {
	return strings.TrimSuffix(strings.Repeat(number+",", n), ",")
}

// A misbehaving embedder, over a real connection: nothing is called novel that was not compared, nothing is lost, every
// answer says that it is degraded and why, and all is well again when the embedder is.
func TestFaultsOfTheEmbedder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  http.HandlerFunc
		reason string
	}{
		"down":           {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, embedding.ReasonUnreachable},
		"failing":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, embedding.ReasonUnreachable},
		"slow":           {tooSlow, embedding.ReasonTimeout},
		"without credit": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }, embedding.ReasonRefused},
		"another page":   {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, embedding.ReasonBadAnswer},
		"too short":      {vectors(repeated("1", faultyDims-1)), embedding.ReasonBadAnswer},
		"too long":       {vectors(repeated("1", faultyDims+1)), embedding.ReasonBadAnswer},
		"zero":           {vectors(repeated("0", faultyDims)), embedding.ReasonBadAnswer},
		"NaN":            {vectors(repeated("NaN", faultyDims)), embedding.ReasonBadAnswer},
		"infinite":       {vectors(repeated("1e999", faultyDims)), embedding.ReasonBadAnswer},
		"overflowing":    {vectors(repeated("3e38", faultyDims)), ""}, // its length is beyond a float, itself it is not
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			e, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "test", Dims: faultyDims, Attempts: 1})
			require.NoError(t, err)
			w := startWith(t, pgtest.New(t), core.Config{Embedder: e, Guard: embedding.GuardConfig{Timeout: 500 * time.Millisecond, Failures: 1000}})
			w.underFault(t, p, c.fault, c.reason)
		})
	}
}

func (w *world) underFault(t *testing.T, p *provider, fault http.HandlerFunc, reason string) {
	ctx, c := t.Context(), w.as(agent)
	const text = "The harbour master keeps the ledgers of the old port."
	first := w.propose(agent, "Ledgers", text)
	p.fault.Store(&fault)
	send := func(title, body, more string) reply {
		return w.send("POST /api/v1/articles", w.keys[agent], `{"title":"`+title+`","category":"idea","body":"`+body+`"`+more+`}`)
	}
	if reason == "" { // an answer that can be used after all, or is refused: not more is asked of it
		require.Equal(t, http.StatusCreated, send("A", "Lanterns burn at night.", "").StatusCode)
		return
	}
	r := send("A", "Lanterns burn at night.", "")
	require.Equal(t, http.StatusCreated, r.StatusCode, r.body)
	require.Contains(t, r.body, `"verdict":"unknown"`)
	require.NotContains(t, r.body, `"novelty"`)
	require.Contains(t, send("Ledgers", text, "").body, `"verdict":"deduplicated"`, "identical text needs no vector")
	r = send("B", "Nets are mended in winter.", `,"on_gate_unavailable":"skip"`)
	require.Equal(t, string(wiki.CodeGateUnavailable), r.failure(t).Code)
	body := "Lanterns burn by day as well."
	page, _, err := c.Articles(ctx, api.ArticleQuery{})
	require.NoError(t, err)
	require.Len(t, page, 2)
	changed, err := c.Update(ctx, page[0].ID, 0, api.ArticlePatch{Body: &body}, "")
	require.NoError(t, err)
	require.Equal(t, 2, changed.Version)
	stats, err := c.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, [2]int{1, 1}, [2]int{stats.Meaning.Indexed, stats.Meaning.Pending}, "what waits for a vector is told")
	require.NotNil(t, stats.Meaning.Since)

	hits, meta, err := c.Search(ctx, api.SearchQuery{Query: "harbour ledgers"})
	require.NoError(t, err)
	require.True(t, *meta.Degraded)
	require.Equal(t, reason, meta.DegradedReason)
	require.Equal(t, "keyword_only", meta.SearchMode)
	require.Equal(t, first.ID, hits[0].ID)
	_, _, err = c.Search(ctx, api.SearchQuery{Query: "harbour ledgers", Mode: "semantic"})
	require.Equal(t, wiki.CodeSemanticDown, wiki.ErrorCode(err))
	r = w.send("POST /api/v1/knowledge/hybrid_search", w.keys[agent], `{"query":"harbour ledgers"}`)
	require.Equal(t, http.StatusOK, r.StatusCode, r.body)
	require.Contains(t, r.body, `"degraded":true,"degraded_reason":"`+reason+`"`)
	require.Contains(t, r.body, first.ID.String())

	p.fault.Store(nil)
	require.NotContains(t, send("C", "Ropes are spliced by hand.", "").body, `"verdict":"unknown"`)
	hits, meta, err = c.Search(ctx, api.SearchQuery{Query: text, Mode: "semantic"})
	require.NoError(t, err)
	require.False(t, *meta.Degraded)
	require.Equal(t, first.ID, hits[0].ID)
}
