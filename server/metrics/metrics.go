// Package metrics is what the server tells Prometheus. It is told at the edges, or looks at the core's own counts when it is
// scraped: no room of the core knows of it.
//
// No label comes from a request: each has a few values that stand in the code. There is no tenant, id, title or path with an
// id among them (SPEC §14, seed, latency section).
package metrics

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"wiki/core"
	"wiki/core/access"
	"wiki/core/embedding"
	"wiki/core/gate"
	"wiki/core/timing"
	"wiki/core/wiki"
)

const (
	// HeavyRead is the seed's histogram of heavy reads, in milliseconds: a dashboard for the system that the seed describes
	// works unchanged. Its endpoints here are SemanticSearch and VectorSearch; memory_recall comes with memories.
	HeavyRead = "loopctl_heavy_read_repo_query_duration"

	// SemanticSearch is the semantic lane of a search.
	SemanticSearch = "semantic_search"
	// VectorSearch is the neighbours of a proposal (the write gate) or of an article.
	VectorSearch = "vector_search"

	// NoRoute is the route of calls for a path that is not served.
	NoRoute = "none"

	namespace = "wiki"
	// scrapeLimit bounds the scrapes at a time: each may wait for the database.
	scrapeLimit = 3
)

// heavyBuckets are the seed's, milliseconds.
var heavyBuckets = []float64{10, 50, 100, 250, 500, 1000, 2500, 5000, 10000}

// callBuckets are the same in seconds, with a finer and a coarser end: a call may read one row, or run to its timeout.
var callBuckets = []float64{0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// endpoints says which span is which endpoint of the seed's.
var endpoints = map[string]string{timing.Semantic: SemanticSearch, timing.Nearest: VectorSearch}

// stages are the spans of a search that are shown.
var stages = []string{timing.Embed, timing.Keyword, timing.Semantic, timing.Graph, timing.Total}

// verdicts are shown from the start, so that a rule can tell none from nothing known.
var verdicts = []gate.Verdict{gate.Novel, gate.LowNovelty, gate.Unknown, gate.Duplicate, gate.Deduplicated, gate.SkippedLowNovelty}

var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPatch: true, http.MethodPut: true, http.MethodDelete: true,
}

// Metrics counts for one server. It is safe for use by several goroutines.
type Metrics struct {
	log       *slog.Logger
	registry  *prometheus.Registry
	calls     *prometheus.HistogramVec
	failures  *prometheus.CounterVec
	limited   *prometheus.CounterVec
	streams   prometheus.Gauge
	proposals *prometheus.CounterVec
	drifts    *prometheus.CounterVec
	heavy     *prometheus.HistogramVec
	stages    *prometheus.HistogramVec
	degraded  *prometheus.CounterVec
}

// Settings of the metrics.
type Settings struct {
	Version string        // of the program
	Keep    time.Duration // how long what was read from the database is shown again
	Log     *slog.Logger
}

// New makes the metrics of a server over a core.
func New(c *core.Core, settings Settings) *Metrics {
	m := &Metrics{
		log:       settings.Log,
		registry:  prometheus.NewRegistry(),
		calls:     histogram("http_request_duration_seconds", "Time of answered calls, by route pattern; event streams aside.", callBuckets, "route", "method", "status"),
		failures:  counter("http_errors_total", "Calls that were answered with an error, by its code.", "code"),
		limited:   counter("rate_limited_total", "Calls that were refused by a rate limit: the key's or the tenant's.", "over"),
		streams:   prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "event_streams", Help: "Event streams that are open."}),
		proposals: counter("gate_outcomes_total", "Proposals by the gate's verdict, or the code of its refusal.", "outcome"),
		drifts:    counter("gate_drift_total", "Proposals answered by what stood already that said something else: in their text or title.", "kind"),
		stages:    histogram("search_duration_milliseconds", "Time of answered searches, by the mode they were answered in, and stage.", heavyBuckets, "mode", "stage"),
		degraded:  counter("search_degraded_total", "Searches that were answered by keyword alone because the semantic lane was down.", "reason"),
		heavy: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: HeavyRead, Help: "Time of the vector queries, milliseconds.", Buckets: heavyBuckets,
		}, []string{"endpoint"}),
	}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "1, for the version that runs."}, []string{"version"})
	build.WithLabelValues(settings.Version).Set(1)
	m.registry.MustRegister(m.calls, m.failures, m.limited, m.streams, m.proposals, m.drifts, m.heavy, m.stages, m.degraded, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), ledgers{c}, newBacklogs(c, settings.Keep, settings.Log))
	m.begin()
	return m
}

// begin shows at zero what has not happened yet.
func (m *Metrics) begin() {
	for _, v := range verdicts {
		m.proposals.WithLabelValues(string(v))
	}
	for _, over := range []string{access.OverKey, access.OverTenant} {
		m.limited.WithLabelValues(over)
	}
	for _, kind := range []string{driftContent, driftTitle} {
		m.drifts.WithLabelValues(kind)
	}
	for _, endpoint := range endpoints {
		m.heavy.WithLabelValues(endpoint)
	}
	for _, reason := range embedding.Reasons {
		m.degraded.WithLabelValues(reason)
	}
	m.failures.WithLabelValues(string(wiki.CodeInternal))
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

// Handler answers a scrape. What can not be read is left out and said so in the log: the rest is still worth having.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelWarn), ErrorHandling: promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapeLimit, Timeout: scrapeTimeout,
	})
}

// scrapeTimeout is the last bound of a scrape, below Prometheus's own of ten seconds.
const scrapeTimeout = 9 * time.Second
