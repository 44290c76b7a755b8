package remote

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// BreakerConfig says when a service is left alone. Zero fields take the defaults; Name has none.
type BreakerConfig struct {
	Name     string           // for messages, such as "the embedding provider"
	Failures int              // within Window that open the breaker; default 3
	Window   time.Duration    // default 60 s
	Open     time.Duration    // how long the breaker stays open before one call may try again; default 30 s
	Now      func() time.Time // default time.Now
}

// Defaults of BreakerConfig.
const (
	DefaultFailures = 3
	DefaultWindow   = 60 * time.Second
	DefaultOpen     = 30 * time.Second
)

// Breaker counts failures. Closed, it lets every call through. Open, it refuses every call until its time is over, then
// lets one through as a trial: success closes it, failure opens it again.
type Breaker struct {
	cfg BreakerConfig

	mu        sync.Mutex
	failures  []time.Time // within the window, oldest first
	openUntil time.Time   // zero = closed
	trying    bool        // a trial is under way
}

// NewBreaker makes a closed breaker.
func NewBreaker(cfg BreakerConfig) *Breaker {
	cfg.Failures = cmp.Or(cfg.Failures, DefaultFailures)
	cfg.Window = cmp.Or(cfg.Window, DefaultWindow)
	cfg.Open = cmp.Or(cfg.Open, DefaultOpen)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Breaker{cfg: cfg}
}

// Guard makes a call that is bounded in time, 0 or less = not at all, and not made when the breaker is open. A failure for
// which blameless says true tells nothing of the service, nor does the end of the caller's own context, whose error comes
// back as it is. Other errors are the call's own, or an *Error with Timeout or Open.
func Guard[T any](ctx context.Context, b *Breaker, bound time.Duration, blameless func(error) bool, call func(context.Context) (T, error)) (T, error) {
	var none T
	trial, err := b.enter()
	if err != nil {
		return none, err
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if bound > 0 {
		bounded, cancel = context.WithTimeout(ctx, bound)
	}
	defer cancel()
	got, err := call(bounded)
	switch {
	case err == nil:
		b.leave(trial, succeeded)
		return got, nil
	case ctx.Err() != nil: // the caller gave up
		b.leave(trial, unknown)
		return none, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		b.leave(trial, failed)
		return none, Errorf(Timeout, err, "%s did not answer within %s", b.cfg.Name, bound)
	case blameless(err):
		b.leave(trial, unknown)
		return none, err
	default:
		b.leave(trial, failed)
		return none, err
	}
}

type result int

const (
	unknown result = iota // the call says nothing of the service
	succeeded
	failed
)

func (b *Breaker) enter() (trial bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.openUntil.IsZero() {
		return false, nil
	}
	if wait := b.openUntil.Sub(b.cfg.Now()); wait > 0 || b.trying {
		e := Errorf(Open, nil, "%s failed %d times and is left alone for now", b.cfg.Name, b.cfg.Failures)
		e.RetryAfter = max(wait, time.Second)
		return false, e
	}
	b.trying = true
	return true, nil
}

func (b *Breaker) leave(trial bool, r result) {
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
