package server

import (
	"strconv"

	"wiki/core/timing"
	"wiki/server/api"
)

// timingParameter asks any call for meta.timing.
const timingParameter = "timing"

// watched starts a watch when the caller asks for one; nil when not. A value that says neither yes nor no asks for none.
func (q *request) watched() *timing.Watch {
	if asked, err := strconv.ParseBool(q.URL.Query().Get(timingParameter)); err != nil || !asked {
		return nil
	}
	ctx, watch := timing.Begin(q.Context())
	q.Request = q.WithContext(ctx)
	return watch
}

// timed puts what the watch measured into an answer that has a body.
func (a *answer) timed(watch *timing.Watch) {
	if watch == nil || a.data == nil {
		return
	}
	if a.meta == nil {
		a.meta = &api.Meta{}
	}
	a.meta.Timing = watch.Milliseconds()
}
