package embedding

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"wiki/core/wiki"
)

// Why the semantic lane is down: Details["reason"] of a CodeSemanticDown error, and meta.degraded_reason of a page.
const (
	ReasonTimeout     = "embedding_timeout"      // the provider took longer than the bound
	ReasonBreakerOpen = "embedding_circuit_open" // it failed repeatedly and is being left alone
	ReasonRateLimited = "embedding_rate_limited" // it asked for a pause that is longer than this call can wait
	ReasonRefused     = "embedding_refused"      // it refused for good: key, credit, model or request
	ReasonBadAnswer   = "embedding_bad_answer"   // it answered something that is not the vectors asked for
	ReasonUnreachable = "embedding_unreachable"  // no answer, or a server error
)

// GuardConfig bounds an embedder. Zero fields take the defaults.
type GuardConfig struct {
	Timeout  time.Duration    // of one call; default 5 s: queries and interactive writes (SPEC §13). Negative = none
	Failures int              // within Window that open the breaker; default 3
	Window   time.Duration    // default 60 s
	Open     time.Duration    // how long the breaker stays open before one call may try again; default 30 s
	Now      func() time.Time // default time.Now
}

// Defaults of GuardConfig.
const (
	DefaultTimeout  = 5 * time.Second
	DefaultFailures = 3
	DefaultWindow   = 60 * time.Second
	DefaultOpen     = 30 * time.Second
)

// Guarded is an Embedder that fails fast: each call is bounded in time, and after repeated failures none is made for a
// while. An embedder with another bound can share its breaker: see WithTimeout.
type Guarded struct {
	inner   Embedder
	timeout time.Duration
	breaker *breaker
}

// Guard wraps an embedder.
func Guard(e Embedder, cfg GuardConfig) *Guarded {
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	cfg.Failures = cmp.Or(cfg.Failures, DefaultFailures)
	cfg.Window = cmp.Or(cfg.Window, DefaultWindow)
	cfg.Open = cmp.Or(cfg.Open, DefaultOpen)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Guarded{inner: e, timeout: cfg.Timeout, breaker: &breaker{cfg: cfg}}
}

// WithTimeout gives the same embedder with another bound, negative for none, and the same breaker: for work that no one
// waits for, such as an import.
func (g *Guarded) WithTimeout(d time.Duration) *Guarded {
	return &Guarded{inner: g.inner, timeout: d, breaker: g.breaker}
}

// Model implements Embedder.
func (g *Guarded) Model() Model { return g.inner.Model() }

// Embed implements Embedder.
func (g *Guarded) Embed(ctx context.Context, texts []string) ([]Document, error) {
	return guarded(ctx, g, func(ctx context.Context) ([]Document, error) { return g.inner.Embed(ctx, texts) })
}

// EmbedQuery implements Embedder.
func (g *Guarded) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return guarded(ctx, g, func(ctx context.Context) ([]float32, error) { return g.inner.EmbedQuery(ctx, query) })
}

func guarded[T any](ctx context.Context, g *Guarded, call func(context.Context) (T, error)) (T, error) {
	var none T
	trial, err := g.breaker.enter()
	if err != nil {
		return none, err
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if g.timeout > 0 {
		bounded, cancel = context.WithTimeout(ctx, g.timeout)
	}
	defer cancel()
	got, err := call(bounded)
	switch {
	case err == nil:
		g.breaker.leave(trial, succeeded)
		return got, nil
	case ctx.Err() != nil: // the caller gave up: that says nothing of the provider
		g.breaker.leave(trial, unknown)
		return none, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		g.breaker.leave(trial, failed)
		return none, down(ReasonTimeout, err, "the embedding provider did not answer within %s", g.timeout)
	case wiki.ErrorCode(err) == wiki.CodeInvalid: // the text is at fault
		g.breaker.leave(trial, unknown)
		return none, err
	default:
		g.breaker.leave(trial, failed)
		return none, err
	}
}

// down makes the error of a provider that can't be used now.
func down(reason string, cause error, format string, args ...any) *wiki.Error {
	e := wiki.Errorf(wiki.CodeSemanticDown, format, args...)
	e.Details = map[string]any{"reason": reason}
	e.Err = cause
	return e
}

type result int

const (
	unknown result = iota // the call says nothing of the provider
	succeeded
	failed
)

// breaker counts failures. Closed, it lets every call through. Open, it refuses every call until its time is over, then
// lets one through as a trial: success closes it, failure opens it again.
type breaker struct {
	cfg GuardConfig

	mu        sync.Mutex
	failures  []time.Time // within the window, oldest first
	openUntil time.Time   // zero = closed
	trying    bool        // a trial is under way
}

func (b *breaker) enter() (trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.openUntil.IsZero() {
		return false, nil
	}
	if wait := b.openUntil.Sub(b.cfg.Now()); wait > 0 || b.trying {
		e := down(ReasonBreakerOpen, nil, "the embedding provider failed %d times and is left alone for now", b.cfg.Failures)
		e.RetryAfter = max(wait, time.Second)
		return false, e
	}
	b.trying = true
	return true, nil
}

func (b *breaker) leave(trial bool, r result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.cfg.Now()
	if trial {
		b.trying = false
	}
	switch {
	case r == succeeded && trial: // otherwise the failures stand: every other call may be failing
		b.failures, b.openUntil = nil, time.Time{}
	case r == failed && trial:
		b.openUntil = now.Add(b.cfg.Open)
	case r == failed:
		b.failures = append(b.failures, now)
		for len(b.failures) > 0 && now.Sub(b.failures[0]) > b.cfg.Window {
			b.failures = b.failures[1:]
		}
		if len(b.failures) >= b.cfg.Failures {
			b.openUntil, b.failures = now.Add(b.cfg.Open), nil
		}
	}
}
