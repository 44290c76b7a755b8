package server

import (
	"net/url"

	"wiki/core/wiki"
	"wiki/server/api"
)

// A cursor leaves the server signed, and is taken back only as it left: for the tenant, the route and the question that it
// was made for. What a page may show is decided by the key that asks, cursor or not; the signature is there so that nothing
// but a place that a page ended at ever reaches a query.

const badCursor = "must be meta.next_cursor of the page before, with the parameters of that page; start without one"

// maxCursorBytes bounds a cursor as sent.
const maxCursorBytes = 1000

// paging are the parameters that may differ from page to page.
var paging = []string{"cursor", "limit", "offset", "explain", timingParameter}

// question is what a cursor belongs to.
func (q *request) question(values url.Values) []string {
	asked := url.Values{}
	for name, v := range values {
		asked[name] = v
	}
	for _, name := range paging {
		asked.Del(name)
	}
	return []string{q.actor.Tenant.String(), routePattern(q.Request), asked.Encode()}
}

// seal signs the cursor of an answer.
func (q *request) seal(meta *api.Meta) {
	if meta != nil && meta.NextCursor != "" {
		meta.NextCursor = wiki.Seal(q.key, meta.NextCursor, q.question(q.URL.Query())...)
	}
}

// cursor reads a cursor; empty when absent.
func (p *params) cursor(name string) string {
	v := p.text(name, maxCursorBytes)
	if v == "" {
		return ""
	}
	cursor, ours := wiki.Unseal(p.call.key, v, p.call.question(p.values)...)
	if !ours {
		p.fail(name, badCursor)
	}
	return cursor
}
