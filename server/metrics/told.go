package metrics

import (
	"strconv"
	"time"

	"wiki/core/gate"
	"wiki/core/timing"
	"wiki/core/wiki"
)

// Call is a call that was answered.
type Call struct {
	Route  string // its pattern, or NoRoute
	Method string
	Status int    // 0: the caller left before there was an answer
	Code   string // of the error, empty = none
	Stream bool   // it lasted as long as its caller listened: no latency
	Took   time.Duration
}

// Answered counts a call.
func (m *Metrics) Answered(c Call) {
	if c.Code != "" {
		m.failures.WithLabelValues(c.Code).Inc()
	}
	if !c.Stream {
		m.calls.WithLabelValues(c.Route, methodOf(c.Method), classOf(c.Status)).Observe(c.Took.Seconds())
	}
}

// methodOf keeps a caller from making up methods.
func methodOf(method string) string {
	if methods[method] {
		return method
	}
	return "other"
}

// classOf is 2xx to 5xx; "gone" for a caller that left.
func classOf(status int) string {
	if status == 0 {
		return "gone"
	}
	return strconv.Itoa(status/100) + "xx"
}

// Limited counts a call that a rate limit refused. over is access.OverKey or access.OverTenant.
func (m *Metrics) Limited(over string) { m.limited.WithLabelValues(over).Inc() }

// Streaming counts an open event stream until the function that it gives is called.
func (m *Metrics) Streaming() func() {
	m.streams.Inc()
	return m.streams.Dec
}

const (
	driftContent = "content"
	driftTitle   = "title"
)

// Proposed counts what the gate answered.
func (m *Metrics) Proposed(o gate.Outcome, err error) {
	if err != nil {
		m.proposals.WithLabelValues(string(wiki.ErrorCode(err))).Inc()
		return
	}
	m.proposals.WithLabelValues(string(o.Verdict)).Inc()
	if o.Verdict != gate.Deduplicated { // a neighbour by likeness is no drift
		return
	}
	if o.ContentDrift != nil && *o.ContentDrift {
		m.drifts.WithLabelValues(driftContent).Inc()
	}
	if o.TitleDrift != nil && *o.TitleDrift {
		m.drifts.WithLabelValues(driftTitle).Inc()
	}
}

// Reads tells of the heavy reads that a call made, whatever became of the call: one that ran into its timeout counts too.
func (m *Metrics) Reads(spans map[string]time.Duration) {
	for span, endpoint := range endpoints {
		if took, ran := spans[span]; ran {
			m.heavy.WithLabelValues(endpoint).Observe(timing.Milliseconds(took))
		}
	}
}

// Searched tells of a search: the mode it was answered in, why it was degraded (empty = it was not), and its stages.
func (m *Metrics) Searched(mode, degraded string, spans map[string]time.Duration) {
	if degraded != "" {
		m.degraded.WithLabelValues(degraded).Inc()
	}
	for _, stage := range stages {
		if took, ran := spans[stage]; ran {
			m.stages.WithLabelValues(mode, stage).Observe(timing.Milliseconds(took))
		}
	}
}
