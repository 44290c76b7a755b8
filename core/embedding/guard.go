package embedding

import (
	"cmp"
	"context"
	"errors"
	"time"

	"wiki/core/remote"
	"wiki/core/wiki"
)

// Why the semantic lane is down: Details["reason"] of a CodeSemanticDown error, and meta.degraded_reason of a page.
const (
	reasonPrefix = "embedding_"

	ReasonTimeout     = reasonPrefix + string(remote.Timeout)     // the provider took longer than the bound
	ReasonBreakerOpen = reasonPrefix + string(remote.Open)        // it failed repeatedly and is being left alone
	ReasonRateLimited = reasonPrefix + string(remote.RateLimited) // it asked for a pause that is longer than this call can wait
	ReasonRefused     = reasonPrefix + string(remote.Refused)     // it refused for good: key, credit, model or request
	ReasonBadAnswer   = reasonPrefix + string(remote.BadAnswer)   // it answered something that is not the vectors asked for
	ReasonUnreachable = reasonPrefix + string(remote.Unreachable) // no answer, or a server error
)

// GuardConfig bounds an embedder. Zero fields take the defaults.
type GuardConfig struct {
	Timeout  time.Duration    // of one call; default 5 s: queries and interactive writes (SPEC §13). Negative = none
	Failures int              // within Window that open the breaker; default remote.DefaultFailures
	Window   time.Duration    // default remote.DefaultWindow
	Open     time.Duration    // how long the breaker stays open before one call may try again; default remote.DefaultOpen
	Now      func() time.Time // default time.Now
}

// DefaultTimeout bounds one call of a Guarded.
const DefaultTimeout = 5 * time.Second

// Guarded is an Embedder that fails fast: each call is bounded in time, and after repeated failures none is made for a
// while. An embedder with another bound can share its breaker: see WithTimeout.
type Guarded struct {
	inner   Embedder
	timeout time.Duration
	breaker *remote.Breaker
	tally   *tally
}

// Guard wraps an embedder.
func Guard(e Embedder, cfg GuardConfig) *Guarded {
	return &Guarded{inner: e, timeout: cmp.Or(cfg.Timeout, DefaultTimeout), tally: &tally{calls: map[string]int{}}, breaker: remote.NewBreaker(remote.BreakerConfig{
		Name: providerName, Failures: cfg.Failures, Window: cfg.Window, Open: cfg.Open, Now: cfg.Now,
	})}
}

// WithTimeout gives the same embedder with another bound, negative for none, and the same breaker: for work that no one
// waits for, such as an import.
func (g *Guarded) WithTimeout(d time.Duration) *Guarded {
	return &Guarded{inner: g.inner, timeout: d, breaker: g.breaker, tally: g.tally}
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
	begun := time.Now()
	got, err := remote.Guard(ctx, g.breaker, g.timeout, textAtFault, call)
	err = asDown(err)
	g.tally.add(outcomeOf(ctx, err), time.Since(begun))
	return got, err
}

func textAtFault(err error) bool { return wiki.ErrorCode(err) == wiki.CodeInvalid }

// asDown turns a failure of the provider into the wiki's own error.
func asDown(err error) error {
	if failed := (*remote.Error)(nil); wiki.ErrorCode(err) == wiki.CodeInternal && errors.As(err, &failed) {
		return down(failed)
	}
	return err
}

// down makes the error of a provider that can't be used now.
func down(failed *remote.Error) *wiki.Error {
	e := wiki.Errorf(wiki.CodeSemanticDown, "%s", failed.Message)
	e.Details = map[string]any{"reason": reasonPrefix + string(failed.Reason)}
	e.RetryAfter, e.Err = failed.RetryAfter, failed.Err
	return e
}
