package remote

// State is what a breaker does with the next call.
type State string

// The states: let through, refused, and let through as the one trial.
const (
	BreakerClosed   State = "closed"
	BreakerOpen     State = "open"
	BreakerHalfOpen State = "half_open"
)

// States are all of them.
var States = []State{BreakerClosed, BreakerOpen, BreakerHalfOpen}

// State says how the breaker stands.
func (b *Breaker) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.openUntil.IsZero():
		return BreakerClosed
	case b.cfg.Now().Before(b.openUntil) || b.trying:
		return BreakerOpen
	default:
		return BreakerHalfOpen
	}
}
