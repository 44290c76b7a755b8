package server

import (
	"strconv"

	"wiki/core/timing"
	"wiki/server/api"
)

// timingParameter asks any call for meta.timing.
const timingParameter = "timing"

// asksTiming says whether the caller wants meta.timing. A value that says neither yes nor no asks for none.
func (q *request) asksTiming() bool {
	asked, err := strconv.ParseBool(q.URL.Query().Get(timingParameter))
	return err == nil && asked
}

// watched starts the call's watch: the metrics are told what it measures, and the caller when it asks.
func (q *request) watched() *timing.Watch {
	ctx, watch := timing.Begin(q.Context())
	q.Request = q.WithContext(ctx)
	return watch
}

// timed puts what the watch measured into an answer that has a body.
func (a *answer) timed(watch *timing.Watch) {
	if a.data == nil {
		return
	}
	if a.meta == nil {
		a.meta = &api.Meta{}
	}
	a.meta.Timing = watch.Milliseconds()
}

// searched tells the metrics of a ranked read.
func (s *Server) searched(a *answer, watch *timing.Watch) {
	if a.meta != nil && a.meta.SearchMode != "" {
		s.metrics.Searched(a.meta.SearchMode, a.meta.DegradedReason, watch.Spans())
	}
}
