package embedding

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"wiki/core/remote"
	"wiki/core/wiki"
)

// What became of a call, beside the Reason constants of one that failed.
const (
	OutcomeOK      = "ok"
	OutcomeNoWords = "no_words"    // the text is at fault, not the provider
	OutcomeGaveUp  = "caller_gone" // the caller's context ended first
	OutcomeUnnamed = "failed"      // without a Reason
)

// Outcomes are all that Stats.Calls counts by.
var Outcomes = append([]string{OutcomeOK, OutcomeNoWords, OutcomeGaveUp, OutcomeUnnamed}, Reasons...)

// Reasons are why a call fails.
var Reasons = []string{ReasonTimeout, ReasonBreakerOpen, ReasonRateLimited, ReasonRefused, ReasonBadAnswer, ReasonUnreachable}

// Stats is what an embedder did since it was made.
type Stats struct {
	Calls   map[string]int // by outcome; those that the breaker refused were not made
	Took    time.Duration  // all calls together
	Breaker remote.State
}

// Stats gives the numbers of this embedder and of those that share its breaker.
func (g *Guarded) Stats() Stats {
	g.tally.mu.Lock()
	defer g.tally.mu.Unlock()
	return Stats{Calls: maps.Clone(g.tally.calls), Took: g.tally.took, Breaker: g.breaker.State()}
}

type tally struct {
	mu    sync.Mutex
	calls map[string]int
	took  time.Duration
}

func (t *tally) add(outcome string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[outcome]++
	t.took += took
}

// outcomeOf names what a call came to. ctx is the caller's.
func outcomeOf(ctx context.Context, err error) string {
	var coded *wiki.Error
	switch {
	case err == nil:
		return OutcomeOK
	case ctx.Err() != nil:
		return OutcomeGaveUp
	case wiki.ErrorCode(err) == wiki.CodeInvalid:
		return OutcomeNoWords
	case errors.As(err, &coded):
		if reason, ok := coded.Details["reason"].(string); ok {
			return reason
		}
	}
	return OutcomeUnnamed
}
