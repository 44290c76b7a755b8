// Package remote calls services that may be slow, busy, broken or shut: a call is tried again when its failure may pass,
// waits out the pause that a service asked for, together with all other callers, is bounded in what it reads, and after
// repeated failures is not made at all for a while. A service's own text is never shown: it may quote the key or the input.
package remote

import (
	"fmt"
	"time"
)

// Reason says why a service gave nothing.
type Reason string

// Reasons.
const (
	Timeout     Reason = "timeout"      // it took longer than the bound
	Open        Reason = "circuit_open" // it failed repeatedly and is being left alone
	RateLimited Reason = "rate_limited" // it asked for a pause that is longer than this call can wait
	Refused     Reason = "refused"      // it refused for good: key, credit, model or request
	BadAnswer   Reason = "bad_answer"   // it answered something that is not what was asked for
	Unreachable Reason = "unreachable"  // no answer, or a server error
)

// Error is a call that a service gave nothing for.
type Error struct {
	Reason     Reason
	Message    string        // for people; nothing of the service's own text
	RetryAfter time.Duration // how long to leave it alone; 0 = not known
	Err        error         // the cause, for the log
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %v", e.Message, e.Err)
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an *Error with a formatted message.
func Errorf(reason Reason, cause error, format string, args ...any) *Error {
	return &Error{Reason: reason, Message: fmt.Sprintf(format, args...), Err: cause}
}
