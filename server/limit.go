package server

import (
	"net/http"
	"strconv"

	"wiki/core/access"
	"wiki/core/wiki"
)

// Headers that tell a caller where it stands with its rate.
const (
	headerRateLimit     = "X-RateLimit-Limit"
	headerRateRemaining = "X-RateLimit-Remaining"
	headerRateReset     = "X-RateLimit-Reset" // Unix time, seconds
)

// admit tells the caller of its rate, and refuses a call too many with CodeRateLimited. Who is counted, and where, is
// access's.
func admit(w http.ResponseWriter, id access.Identity) error {
	c := id.Calls
	if !c.Limited {
		return nil
	}
	h := w.Header()
	h.Set(headerRateLimit, strconv.Itoa(c.Limit))
	h.Set(headerRateRemaining, strconv.Itoa(c.Remaining))
	h.Set(headerRateReset, strconv.FormatInt(c.Reset.Unix(), 10))
	if c.Over == "" {
		return nil
	}
	e := wiki.Errorf(wiki.CodeRateLimited, "the %s has made all its calls of this minute", c.Over)
	e.Remedy, e.RetryAfter = "wait for the seconds in Retry-After", c.Reset.Sub(id.Now)
	return e
}
