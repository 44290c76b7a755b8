package server_test

import (
	"context"
	"io"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/postgres"
	"wiki/core/postgres/pgtest"
	"wiki/core/remote"
	"wiki/core/wiki"
	"wiki/server"
	"wiki/server/api"
	"wiki/server/metrics"
)

// scraped is what a scrape gave.
type scraped map[string]*dto.MetricFamily

// ask makes a call of the internal listener.
func (w *world) ask(path string) (status int, body string) {
	w.tb.Helper()
	req, err := http.NewRequestWithContext(w.tb.Context(), http.MethodGet, w.inside+path, http.NoBody)
	require.NoError(w.tb, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(w.tb, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(w.tb, err)
	return resp.StatusCode, string(raw)
}

// scrape reads the metrics as Prometheus does.
func (w *world) scrape() scraped {
	w.tb.Helper()
	status, body := w.ask(server.MetricsPath)
	require.Equal(w.tb, http.StatusOK, status, body)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(body))
	require.NoError(w.tb, err)
	return families
}

// value sums up the series of a name that have all of the labels, written name=value. A histogram's value is its count.
func (s scraped) value(name string, labels ...string) (sum float64, found bool) {
	family, ok := s[name]
	if !ok {
		return 0, false
	}
	for _, m := range family.Metric {
		var has []string
		for _, l := range m.Label {
			has = append(has, l.GetName()+"="+l.GetValue())
		}
		if slices.ContainsFunc(labels, func(l string) bool { return !slices.Contains(has, l) }) {
			continue
		}
		found = true
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return sum, found
}

// moved is how much a value grew between two scrapes.
func moved(before, after scraped, name string, labels ...string) float64 {
	was, _ := before.value(name, labels...)
	is, _ := after.value(name, labels...)
	return is - was
}

func TestMetricsMoveWithWhatHappens(t *testing.T) {
	t.Parallel()
	w := start(t)
	before := w.scrape()
	for _, verdict := range []string{"novel", "low_novelty", "unknown", "duplicate", "deduplicated", "skipped_low_novelty"} {
		n, shown := before.value("wiki_gate_outcomes_total", "outcome="+verdict)
		require.True(t, shown, verdict)
		require.Zero(t, n, verdict)
	}
	c := w.as(agent)
	w.propose(agent, "Tides", "The tide turns twice a day in the northern harbour.")
	again, err := c.Propose(t.Context(), api.Proposal{Title: "Tides", Body: text("The tide turns twice a day in the northern harbour."), Category: "reference"})
	require.NoError(t, err)
	require.Equal(t, "deduplicated", again.Verdict)
	_, err = c.Propose(t.Context(), api.Proposal{Title: "Tides", Body: text("Something else altogether."), Category: "reference"})
	require.Equal(t, wiki.CodeTitleConflict, wiki.ErrorCode(err))
	keyed := api.Proposal{Title: "Cranes", Body: text("Crane four lifts forty tonnes at pier nine."), Category: "reference", IdempotencyKey: "capture-1"}
	_, err = c.Propose(t.Context(), keyed)
	require.NoError(t, err)
	keyed.Title, keyed.Body = "Heavy cranes", text("Crane four lifts fifty tonnes at pier nine.")
	_, err = c.Propose(t.Context(), keyed)
	require.NoError(t, err)
	for _, mode := range []string{"keyword", "semantic", "combined"} {
		require.Equal(t, http.StatusOK, w.send("GET /api/v1/knowledge/search?q=tide&mode="+mode, w.keys[agent], "").StatusCode)
	}
	require.Equal(t, http.StatusNotFound, w.send("GET /api/v1/articles/"+uuid.NewString(), w.keys[agent], "").StatusCode)
	require.Equal(t, http.StatusNotFound, w.send("GET /nowhere/"+uuid.NewString(), "", "").StatusCode)
	require.Equal(t, http.StatusMethodNotAllowed, w.send("BREW /api/v1/articles", w.keys[agent], "").StatusCode)

	after := w.scrape()
	for _, c := range []struct {
		name   string
		labels []string
		by     float64
	}{
		{"wiki_gate_outcomes_total", []string{"outcome=novel"}, 2},
		{"wiki_gate_outcomes_total", []string{"outcome=deduplicated"}, 2},
		{"wiki_gate_outcomes_total", []string{"outcome=title_conflict"}, 1},
		{"wiki_gate_drift_total", []string{"kind=content"}, 1},
		{"wiki_gate_drift_total", []string{"kind=title"}, 1},
		{"wiki_search_duration_milliseconds", []string{"mode=keyword", "stage=keyword"}, 1},
		{"wiki_search_duration_milliseconds", []string{"mode=keyword", "stage=semantic"}, 0},
		{"wiki_search_duration_milliseconds", []string{"mode=semantic", "stage=semantic"}, 1},
		{"wiki_search_duration_milliseconds", []string{"mode=combined", "stage=embed"}, 1},
		{"wiki_search_duration_milliseconds", []string{"mode=combined", "stage=total"}, 1},
		{metrics.HeavyRead, []string{"endpoint=semantic_search"}, 2},
		{metrics.HeavyRead, []string{"endpoint=vector_search"}, 2}, // the two that were compared: the others were answered before
		{"wiki_http_request_duration_seconds", []string{"route=/api/v1/articles", "method=POST", "status=2xx"}, 4},
		{"wiki_http_request_duration_seconds", []string{"route=/api/v1/articles", "method=POST", "status=4xx"}, 1},
		{"wiki_http_request_duration_seconds", []string{"route=/api/v1/articles/{id}", "method=GET", "status=4xx"}, 1},
		{"wiki_http_request_duration_seconds", []string{"route=none", "method=GET", "status=4xx"}, 1},
		{"wiki_http_request_duration_seconds", []string{"method=other", "status=4xx"}, 1},
		{"wiki_http_errors_total", []string{"code=not_found"}, 2},
	} {
		require.InDelta(t, c.by, moved(before, after, c.name, c.labels...), 0, "%s %v", c.name, c.labels)
	}
	require.Positive(t, moved(before, after, "wiki_embedder_calls_total", "outcome=ok"))
	require.Positive(t, moved(before, after, "wiki_embedder_seconds_total"))
	require.Positive(t, moved(before, after, "wiki_database_acquires_total", "pool=requests"))
	require.Positive(t, moved(before, after, "wiki_database_acquires_total", "pool=heavy"))
	n, _ := after.value("wiki_build_info", "version=test")
	require.InDelta(t, 1.0, n, 0)
}

func TestTheSeedsHistogramHasItsNameAndBuckets(t *testing.T) {
	t.Parallel()
	w := start(t)
	require.Equal(t, http.StatusOK, w.send("GET /api/v1/knowledge/search?q=tide&mode=semantic", w.keys[agent], "").StatusCode)
	families := w.scrape()
	family := families["loopctl_heavy_read_repo_query_duration"]
	require.NotNil(t, family)
	require.Equal(t, dto.MetricType_HISTOGRAM, family.GetType())
	var endpoints []string
	for _, m := range family.Metric {
		require.Len(t, m.Label, 1)
		require.Equal(t, "endpoint", m.Label[0].GetName())
		endpoints = append(endpoints, m.Label[0].GetValue())
		require.Equal(t, []float64{10, 50, 100, 250, 500, 1000, 2500, 5000, 10000}, bounds(m))
	}
	require.ElementsMatch(t, []string{"semantic_search", "vector_search"}, endpoints)
	stages := families["wiki_search_duration_milliseconds"]
	require.NotNil(t, stages)
	for _, m := range stages.Metric {
		require.Equal(t, []float64{10, 50, 100, 250, 500, 1000, 2500, 5000, 10000}, bounds(m))
	}
}

// bounds gives a histogram's buckets, the endless one left out.
func bounds(m *dto.Metric) (upper []float64) {
	for _, b := range m.GetHistogram().Bucket {
		if !math.IsInf(b.GetUpperBound(), 1) {
			upper = append(upper, b.GetUpperBound())
		}
	}
	return upper
}

// Whatever is called, with whatever ids and texts, a label has one of the few values that stand in the code.
func TestNoLabelComesFromARequest(t *testing.T) {
	t.Parallel()
	w := start(t)
	article := w.propose(agent, "Lanterns of the pier", "Lanterns burn with a steady flame on the northern pier.")
	other := w.propose(agent, "Ships in the harbour", "Ships are moored at the harbour until the flood.")
	for route, l := range surface {
		if l.names == itsOwnCall {
			continue
		}
		for _, id := range []string{article.ID.String(), uuid.NewString(), "lanterns"} {
			call, body := l.fill(route, "{id}", id, "{other}", other.ID.String(), "{pair}", id+"."+other.ID.String())
			for _, key := range []string{w.keys[user], "wk_lanterns"} {
				w.send(call, key, body)
			}
		}
	}
	known := []string{"none", "/health", "/health/ready"}
	for _, route := range server.Routes() {
		_, path, _ := strings.Cut(route, " ")
		known = append(known, "/api/v1"+path)
	}
	word := regexp.MustCompile(`^[a-z0-9_]+$`)
	values := map[string][]string{
		"route": known, "method": {"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "other"}, "status": {"1xx", "2xx", "3xx", "4xx", "5xx", "gone"},
		"mode": {"keyword", "semantic", "combined", "keyword_only", "list"}, "stage": {"embed", "keyword", "semantic", "graph", "total"},
		"endpoint": {"semantic_search", "vector_search"}, "version": nil, "quantile": nil,
	}
	families := w.scrape()
	series := 0
	for name, family := range families {
		for _, m := range family.Metric {
			series++
			for _, l := range m.Label {
				if few, named := values[l.GetName()]; named {
					require.True(t, few == nil || slices.Contains(few, l.GetValue()), "%s{%s=%q}", name, l.GetName(), l.GetValue())
					continue
				}
				require.Regexp(t, word, l.GetValue(), "%s{%s}", name, l.GetName())
				_, err := uuid.Parse(l.GetValue())
				require.Error(t, err, "%s{%s=%q}", name, l.GetName(), l.GetValue())
			}
		}
	}
	_, body := w.ask(server.MetricsPath)
	for _, of := range []string{article.ID.String(), w.tenant.String(), "lanterns", "Lanterns", "acme", other.ID.String()} {
		require.NotContains(t, body, of)
	}
	require.Greater(t, series, len(surface))
	require.Less(t, series, 12*len(surface))
}

func TestThePortsAreApart(t *testing.T) {
	t.Parallel()
	w := start(t)
	for _, path := range []string{"/metrics", "/healthz", "/readyz"} {
		require.Equal(t, http.StatusNotFound, w.send("GET "+path, w.keys[user], "").StatusCode, path)
		status, body := w.ask(path)
		require.Equal(t, http.StatusOK, status, body)
	}
	for _, path := range []string{"/api/v1/whoami", "/api/v1/knowledge/search?q=tide", "/health", "/", "/debug/pprof/"} {
		status, body := w.ask(path)
		require.Equal(t, http.StatusNotFound, status, "%s: %s", path, body)
	}
	w.core.DB.Close()
	status, body := w.ask("/healthz")
	require.Equal(t, http.StatusOK, status, body)
	status, body = w.ask("/readyz")
	require.Equal(t, http.StatusServiceUnavailable, status, body)
	require.Contains(t, body, "wiki-server doctor")
}

// hold keeps a transaction open until the function that it gives is called, or the test ends.
func hold(t *testing.T, run func(context.Context, func(context.Context, postgres.Tx) error) error) (release func()) {
	t.Helper()
	begun, done, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- run(context.Background(), func(context.Context, postgres.Tx) error { close(begun); <-done; return nil })
	}()
	select {
	case <-begun:
	case err := <-ended:
		require.NoError(t, err)
	}
	release = sync.OnceFunc(func() { close(done); require.NoError(t, <-ended) })
	t.Cleanup(release)
	return release
}

func TestRateLimitsShedsAndStreamsAreCounted(t *testing.T) {
	t.Parallel()
	db := pgtest.Open(t, postgres.Config{DSN: pgtest.DSN(t), HeavyPerTenant: 1, Wait: time.Second})
	w := startOn(t, db, func(s *server.Settings) { s.RatePerKey = 3 })
	before := w.scrape()
	stream := listen(t, w.as(agent), "")
	n, _ := w.scrape().value("wiki_event_streams")
	require.InDelta(t, 1.0, n, 0)
	stream.Close()
	release := hold(t, func(ctx context.Context, fn func(context.Context, postgres.Tx) error) error {
		return db.HeavyRead(ctx, w.tenant, fn)
	})
	require.Equal(t, http.StatusTooManyRequests, w.send("GET /api/v1/knowledge/search?q=tide&mode=keyword", w.keys[user], "").StatusCode)
	release()
	refused := 0
	for range 7 { // one too many for two minutes
		if w.send("GET /api/v1/whoami", w.keys[orchestrator], "").StatusCode == http.StatusTooManyRequests {
			refused++
		}
	}
	require.Positive(t, refused)
	after := w.scrape()
	require.InDelta(t, 1.0, moved(before, after, "wiki_sheds_total", "by=tenant_turn"), 0)
	require.Zero(t, moved(before, after, "wiki_sheds_total", "by=heavy"))
	require.InDelta(t, float64(refused), moved(before, after, "wiki_rate_limited_total", "over=key"), 0)
	require.Zero(t, moved(before, after, "wiki_rate_limited_total", "over=tenant"))
	require.Eventually(t, func() bool { n, _ := w.scrape().value("wiki_event_streams"); return n == 0 }, time.Minute, 10*time.Millisecond)
	for _, m := range after["wiki_http_request_duration_seconds"].Metric {
		require.False(t, slices.ContainsFunc(m.Label, func(l *dto.LabelPair) bool { return strings.HasSuffix(l.GetValue(), "/events") }), "a stream has no latency")
	}
}

func TestTheEmbeddersBreakerIsShown(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	endpoint, err := embedding.NewEndpoint(embedding.EndpointConfig{BaseURL: p.URL, Model: "words", Dims: faultyDims})
	require.NoError(t, err)
	w := startWith(t, pgtest.New(t), core.Config{Embedder: endpoint})
	state := func(s scraped) map[string]float64 {
		out := map[string]float64{}
		for _, is := range remote.States {
			out[string(is)], _ = s.value("wiki_embedder_breaker_state", "state="+string(is))
		}
		return out
	}
	before := w.scrape()
	require.Equal(t, map[string]float64{"closed": 1, "open": 0, "half_open": 0}, state(before))
	refuse := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusUnauthorized) })
	p.fault.Store(&refuse)
	for range remote.DefaultFailures + 2 {
		require.Equal(t, http.StatusOK, w.send("GET /api/v1/knowledge/search?q=tide", w.keys[agent], "").StatusCode)
	}
	after := w.scrape()
	require.Equal(t, map[string]float64{"closed": 0, "open": 1, "half_open": 0}, state(after))
	require.InDelta(t, float64(remote.DefaultFailures), moved(before, after, "wiki_embedder_calls_total", "outcome="+embedding.ReasonRefused), 0)
	require.InDelta(t, 2.0, moved(before, after, "wiki_embedder_calls_total", "outcome="+embedding.ReasonBreakerOpen), 0)
	require.InDelta(t, 2.0, moved(before, after, "wiki_search_degraded_total", "reason="+embedding.ReasonBreakerOpen), 0)
	require.InDelta(t, float64(remote.DefaultFailures+2), moved(before, after, "wiki_search_duration_milliseconds", "mode=keyword_only", "stage=total"), 0)
}

func TestEveryMetricIsExplained(t *testing.T) {
	t.Parallel()
	families := start(t).scrape()
	for _, name := range slices.Sorted(maps.Keys(families)) {
		require.NotEmpty(t, families[name].GetHelp(), name)
	}
}
