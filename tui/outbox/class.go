package outbox

import (
	"errors"
	"time"

	"wiki/core/wiki"
)

// How a failed act is sent again.
const (
	firstWait     = 250 * time.Millisecond
	longestWait   = 15 * time.Second
	maxInternal   = 6 // times that the server may answer "internal" before the act is given back to the curator
	growth        = 2 // each wait is this many times the one before
	maxServerWait = 5 * time.Minute
)

// answer is what an error means for the act.
type answer int

const (
	answerRetry  answer = iota // the server is away or busy
	answerStuck                // the key or tenant is at fault, not the act: it stays until that is mended
	answerRefuse               // final
)

// classify reads an error. Anything that is no coded refusal is worth another try: the idempotency key makes it harmless.
func classify(err error, attempt int) answer {
	var e *wiki.Error
	if !errors.As(err, &e) {
		return answerRetry
	}
	switch e.Code {
	case wiki.CodeUnavailable, wiki.CodeTimeout, wiki.CodeOverloaded, wiki.CodeRateLimited, wiki.CodeGateUnavailable,
		wiki.CodeSemanticDown, wiki.CodeStorageFull, wiki.CodeRequestTimeout:
		return answerRetry
	case wiki.CodeUnauthorized, wiki.CodeKeyMissing, wiki.CodeKeyExpired, wiki.CodeParentExpired, wiki.CodeTenantSuspended:
		return answerStuck
	case wiki.CodeInternal:
		if attempt < maxInternal {
			return answerRetry
		}
	}
	return answerRefuse
}

// waitAfter is how long to wait after the given number of failed attempts; the server's own word goes first.
func waitAfter(err error, attempt int) time.Duration {
	var e *wiki.Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		return min(e.RetryAfter, maxServerWait)
	}
	wait := firstWait
	for range attempt - 1 {
		if wait *= growth; wait >= longestWait {
			return longestWait
		}
	}
	return wait
}
