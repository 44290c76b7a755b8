package metrics

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"wiki/core"
	"wiki/core/conflicts"
	"wiki/core/postgres"
)

var (
	queueOpen   = described("conflicts_open", "Pairs that wait for a verdict, of all tenants; the same at every server.")
	queueIntake = described("conflicts_flagged_last_day", "Pairs that were flagged within 24 hours, judged since or not.")
	queueOldest = described("conflicts_oldest_seconds", "How long the pair has waited that waits longest.")

	driftOpen      = described("drift_open", "Drifted submissions that wait for a curator, of all tenants.")
	driftOldest    = described("drift_oldest_seconds", "How long the drifted submission has waited that waits longest.")
	vectorsMissing = described("vectors_missing", "Articles that wait for a vector: the semantic lane does not find them.")
	vectorsOldest  = described("vectors_missing_oldest_seconds", "How long the article has waited for a vector that waits longest.")
	eventsHidden   = described("events_hidden", "Events that streams do not show yet, because an older transaction is running.")
	eventsLag      = described("events_lag_seconds", "How far the event streams lag: the age of the oldest event that they do not show yet.")

	readingUp     = described("backlog_reading_up", "1 when the last reading of a backlog from the database worked; 0 = its gauges are absent.", "reading")
	readingFailed = described("backlog_reading_failures_total", "Readings of a backlog from the database that failed.", "reading")
)

const (
	// readingTimeout bounds one reading of the database, readingsTimeout a scrape's together. With the grace that a cancelled
	// statement has, a scrape stays below scrapeTimeout.
	readingTimeout  = 2 * time.Second
	readingsTimeout = 5 * time.Second
)

// reading is a backlog that is read from the database.
type reading struct {
	name string
	of   []*prometheus.Desc
	read func(context.Context) ([]float64, error) // values of the gauges in of
}

// backlogs shows what waits in the database. It is asked by one scrape at a time, and not again while what it said is fresh:
// neither a scraper in a hurry nor one more of them costs the database anything.
type backlogs struct {
	readings []reading
	keep     time.Duration
	log      *slog.Logger

	mu     sync.Mutex
	at     time.Time // of the last reading; zero = none yet
	values map[string][]float64
	failed map[string]int
}

func newBacklogs(c *core.Core, keep time.Duration, log *slog.Logger) *backlogs {
	return &backlogs{
		keep: keep, log: log, values: map[string][]float64{}, failed: map[string]int{},
		readings: []reading{
			{"conflicts", []*prometheus.Desc{queueOpen, queueIntake, queueOldest}, queueOf(c.Backlogs.Queue)},
			{"drift", []*prometheus.Desc{driftOpen, driftOldest}, backlogOf(c.Backlogs.Drift)},
			{"vectors", []*prometheus.Desc{vectorsMissing, vectorsOldest}, backlogOf(c.Backlogs.Vectors)},
			{"events", []*prometheus.Desc{eventsHidden, eventsLag}, backlogOf(c.Backlogs.Events)},
		},
	}
}

func queueOf(read func(context.Context) (conflicts.Ageing, error)) func(context.Context) ([]float64, error) {
	return func(ctx context.Context) ([]float64, error) {
		a, err := read(ctx)
		return []float64{float64(a.Open), float64(a.Intake), a.OldestAge().Seconds()}, err
	}
}

func backlogOf(read func(context.Context) (postgres.Backlog, error)) func(context.Context) ([]float64, error) {
	return func(ctx context.Context) ([]float64, error) {
		b, err := read(ctx)
		return []float64{float64(b.Waiting), b.OldestAge().Seconds()}, err
	}
}

// Describe implements prometheus.Collector.
func (b *backlogs) Describe(out chan<- *prometheus.Desc) {
	for _, r := range b.readings {
		for _, d := range r.of {
			out <- d
		}
	}
	out <- readingUp
	out <- readingFailed
}

// Collect implements prometheus.Collector. A reading that failed is not a reading of nothing: its gauges are left out.
func (b *backlogs) Collect(out chan<- prometheus.Metric) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.at) > b.keep {
		b.refresh()
	}
	for _, r := range b.readings {
		values, up := b.values[r.name]
		is := 0.0
		if up {
			is = 1
			for i, d := range r.of {
				out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, values[i])
			}
		}
		out <- prometheus.MustNewConstMetric(readingUp, prometheus.GaugeValue, is, r.name)
		out <- prometheus.MustNewConstMetric(readingFailed, prometheus.CounterValue, float64(b.failed[r.name]), r.name)
	}
}

func (b *backlogs) refresh() {
	all, cancel := context.WithTimeout(context.Background(), readingsTimeout)
	defer cancel()
	for _, r := range b.readings {
		ctx, cancel := context.WithTimeout(all, readingTimeout)
		values, err := r.read(ctx)
		cancel()
		_, was := b.values[r.name]
		if err == nil {
			b.values[r.name] = values
			continue
		}
		delete(b.values, r.name)
		b.failed[r.name]++
		if was || b.at.IsZero() { // once, not at each scrape
			b.log.Warn("a backlog can't be read from the database: its metrics are absent until it can", "reading", r.name, "error", err)
		}
	}
	b.at = time.Now()
}
