// Package link keeps what is known of the connection to the server. It is pure: times come as arguments.
package link

import "time"

// State is the connection as shown in the header.
type State string

// States.
const (
	Connecting State = "connecting"
	Live       State = "live"
	Degraded   State = "degraded"  // the server does not answer: reads are old, acts are kept
	Recovered  State = "recovered" // it answers again: everything on screen is being read again
	Stuck      State = "stuck"     // it answers, but refuses the key: waiting alone will not help
)

// Waits between attempts to reach a server that does not answer.
const (
	firstWait   = 250 * time.Millisecond
	longestWait = 10 * time.Second
)

// Link is the connection's state. The zero value is Connecting.
type Link struct {
	state    State
	since    time.Time
	failures int
	why      string
}

// State gives the state.
func (l Link) State() State {
	if l.state == "" {
		return Connecting
	}
	return l.state
}

// Up says whether the server answered last time.
func (l Link) Up() bool { return l.state == Live || l.state == Recovered }

// Why says what is wrong.
func (l Link) Why() string { return l.why }

// Since says when the state began.
func (l Link) Since() time.Time { return l.since }

// Wait is how long to wait before the next attempt.
func (l Link) Wait() time.Duration {
	wait := firstWait
	for i := 1; i < l.failures; i++ {
		if wait *= 2; wait >= longestWait {
			return longestWait
		}
	}
	return wait
}

// Failed notes that the server did not answer.
func (l *Link) Failed(now time.Time, why string) {
	l.failures++
	l.to(Degraded, now, why)
}

// Blocked notes that the server refuses the key or the tenant.
func (l *Link) Blocked(now time.Time, why string) {
	l.failures++
	l.to(Stuck, now, why)
}

// Answered notes an answer. True says that the link had been down, so that events were lost: read everything again.
func (l *Link) Answered(now time.Time) bool {
	l.failures = 0
	switch l.State() {
	case Degraded, Stuck:
		l.to(Recovered, now, "")
		return true
	case Connecting:
		l.to(Live, now, "")
	}
	return false
}

// Resynced notes that everything on screen is fresh again.
func (l *Link) Resynced(now time.Time) {
	if l.state == Recovered {
		l.to(Live, now, "")
	}
}

func (l *Link) to(s State, now time.Time, why string) {
	if l.state != s {
		l.since = now
	}
	l.state, l.why = s, why
}
