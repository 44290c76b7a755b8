package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"wiki/core"
	"wiki/core/embedding"
	"wiki/core/remote"
)

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

var (
	embedderCalls   = described("embedder_calls_total", "Calls of the embedder by outcome: ok, or why not.", "outcome")
	embedderSeconds = described("embedder_seconds_total", "Time that the calls of the embedder took together.")
	embedderBreaker = described("embedder_breaker_state", "1 for the state that the embedder's breaker is in.", "state")

	poolMax      = described("database_connections_max", "Connections that a pool may open.", "pool")
	poolInUse    = described("database_connections_in_use", "Connections in use.", "pool")
	poolIdle     = described("database_connections_idle", "Connections that are open and idle.", "pool")
	poolAcquired = described("database_acquires_total", "Connections that were given out.", "pool")
	poolWaits    = described("database_acquire_waits_total", "Connections that had to be waited for.", "pool")
	poolWaited   = described("database_acquire_wait_seconds_total", "Time that was waited for connections.", "pool")
	poolGaveUp   = described("database_acquire_give_ups_total", "Waits for a connection that ended without one.", "pool")
	poolSlow     = described("database_slow_statements_total", "Statements that took slow-statement or longer; the log says which.", "pool")
	shedCallers  = described("sheds_total", "Callers that were shed: a pool stayed full, or their tenant had all its heavy reads in flight.", "by")
)

// ledgers shows what the core counts by itself. It asks nothing of the database.
type ledgers struct{ core *core.Core }

// Describe implements prometheus.Collector.
func (l ledgers) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		embedderCalls, embedderSeconds, embedderBreaker,
		poolMax, poolInUse, poolIdle, poolAcquired, poolWaits, poolWaited, poolGaveUp, poolSlow, shedCallers,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (l ledgers) Collect(out chan<- prometheus.Metric) {
	count := func(d *prometheus.Desc, n float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, n, labels...)
	}
	gauge := func(d *prometheus.Desc, n float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, n, labels...)
	}
	e := l.core.Embedder.Stats()
	for _, outcome := range embedding.Outcomes {
		count(embedderCalls, float64(e.Calls[outcome]), outcome)
	}
	count(embedderSeconds, e.Took.Seconds())
	for _, state := range remote.States {
		is := 0.0
		if state == e.Breaker {
			is = 1
		}
		gauge(embedderBreaker, is, string(state))
	}
	for _, p := range l.core.DB.Stats() {
		gauge(poolMax, float64(p.Max), p.Name)
		gauge(poolInUse, float64(p.InUse), p.Name)
		gauge(poolIdle, float64(p.Idle), p.Name)
		count(poolAcquired, float64(p.Acquired), p.Name)
		count(poolWaits, float64(p.Waits), p.Name)
		count(poolWaited, p.Waited.Seconds(), p.Name)
		count(poolGaveUp, float64(p.GaveUpWaits), p.Name)
		count(poolSlow, float64(p.Slow), p.Name)
	}
	for by, n := range l.core.DB.Sheds() {
		count(shedCallers, float64(n), by)
	}
}
