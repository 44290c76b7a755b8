// Package timing tells where the time of one call went, for the callers that ask: a watch travels in the context, and what
// measures itself adds to it. Without a watch it costs a look-up.
package timing

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Watch collects spans by name; several of one name are summed up. It is safe for use by several goroutines.
type Watch struct {
	begun time.Time
	mu    sync.Mutex
	spans map[string]time.Duration
}

type watchKey struct{}

// Begin starts a watch and puts it into the context.
func Begin(ctx context.Context) (context.Context, *Watch) {
	w := &Watch{begun: time.Now(), spans: map[string]time.Duration{}}
	return context.WithValue(ctx, watchKey{}, w), w
}

// Span measures from now until the function that it gives is called.
func Span(ctx context.Context, name string) func() {
	w, watched := ctx.Value(watchKey{}).(*Watch)
	if !watched {
		return func() {}
	}
	begun := time.Now()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.spans[name] += time.Since(begun)
	}
}

// The spans of a ranked read, beside Total.
const (
	Embed    = "embed"    // the query's vector
	Keyword  = "keyword"  // the keyword lane
	Semantic = "semantic" // the semantic lane
	Graph    = "graph"    // the lane of graph neighbours
	Nearest  = "nearest"  // the neighbours of an article or a proposal
)

// Total names the time since the watch began, among the spans.
const Total = "total"

// Spans gives the spans so far, and the total.
func (w *Watch) Spans() map[string]time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := maps.Clone(w.spans)
	out[Total] = time.Since(w.begun)
	return out
}

// Milliseconds gives Spans in milliseconds with three decimals.
func (w *Watch) Milliseconds() map[string]float64 {
	out := map[string]float64{}
	for name, d := range w.Spans() {
		out[name] = Milliseconds(d)
	}
	return out
}

// Milliseconds gives a span with three decimals.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
