package server

import (
	"net/http"
	"time"

	"github.com/go-chi/httprate"

	"wiki/core/wiki"
)

// rateWindow is what the rates count over.
const rateWindow = time.Minute

// limiter counts calls per key and per tenant.
type limiter struct {
	key, tenant *httprate.RateLimiter // nil = no limit
}

func newLimiter(s Settings) limiter {
	if s.RatePerKey < 0 {
		return limiter{}
	}
	counted := func(rate int, names httprate.ResponseHeaders) *httprate.RateLimiter {
		opts := []httprate.Option{httprate.WithResponseHeaders(names)}
		if s.Counters != nil {
			opts = append(opts, httprate.WithLimitCounter(s.Counters()))
		}
		return httprate.NewRateLimiter(rate, rateWindow, opts...)
	}
	return limiter{
		key: counted(s.RatePerKey, httprate.ResponseHeaders{
			Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining",
			Reset: "X-RateLimit-Reset", RetryAfter: "Retry-After",
		}),
		tenant: counted(s.RatePerKey*s.RateTenantKeys, httprate.ResponseHeaders{RetryAfter: "Retry-After"}),
	}
}

// check counts one call; a superadmin's are not counted. The error is CodeRateLimited.
func (l limiter) check(w http.ResponseWriter, r *http.Request, actor wiki.Actor) error {
	if l.key == nil || actor.Role >= wiki.RoleSuperadmin {
		return nil
	}
	who := "key"
	over := l.key.OnLimit(w, r, "key:"+actor.Key.String())
	if !over {
		who = "tenant"
		over = l.tenant.OnLimit(w, r, "tenant:"+actor.Tenant.String())
	}
	if !over {
		return nil
	}
	e := wiki.Errorf(wiki.CodeRateLimited, "the %s has made all its calls of this minute", who)
	e.Remedy = "wait for the seconds in Retry-After"
	return e
}
