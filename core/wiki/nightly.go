package wiki

import "time"

// Tally is what one consumer of the nightly pass did with what it was offered (SPEC §8).
type Tally struct {
	Offered  int  `json:"offered"`  // what there was to do, as far as it was looked at
	Applied  int  `json:"applied"`  // done; in a dry run, what would be
	Refused  int  `json:"refused"`  // may not be done, with a reason that stands beside it
	Withheld int  `json:"withheld"` // left as it is on purpose: uncertain, or settled before
	Failed   int  `json:"failed"`   // went wrong; it is offered again the next night
	Gate     Gate `json:"gate"`
}

// Gate says what let a consumer work, or kept it from working. A pass that was cut short, a paused one and an empty one have
// to read differently (seed, invariant 7).
type Gate string

// Gates. The zero value is a consumer that was not reached.
const (
	GateNotReached Gate = ""
	GateOpen       Gate = "open"            // it came to the end of what there was
	GatePaused     Gate = "paused"          // somebody switched it off
	GateCount      Gate = "count_exhausted" // as many acts as one night allows
	GateTime       Gate = "time_exhausted"  // its time, or the pass's, was over first
	GateStopped    Gate = "stopped"         // the server or the command was stopped; the same pass goes on
	GateBroken     Gate = "broken"          // it could not look, or could not go on
	GateNotDue     Gate = "not_due"         // it works less often than every night
)

// Cut says whether there may be more to do than was done.
func (g Gate) Cut() bool {
	return g == GateNotReached || g == GateCount || g == GateTime || g == GateStopped || g == GateBroken
}

// Acted is how many things were acted on, well or not: what a count budget counts.
func (t Tally) Acted() int { return t.Applied + t.Refused + t.Failed }

// Plus adds what a further batch did. The gate is the later one.
func (t Tally) Plus(u Tally) Tally {
	t.Offered += u.Offered
	t.Applied += u.Applied
	t.Refused += u.Refused
	t.Withheld += u.Withheld
	t.Failed += u.Failed
	if u.Gate != GateNotReached {
		t.Gate = u.Gate
	}
	return t
}

// NightBudget bounds what one consumer does in one pass.
type NightBudget struct {
	Count int           // acts; 0 = paused
	Time  time.Duration // of work, over all the turns of a pass
}

// Left is what a consumer may still do, and the gate that has shut when it may do nothing. passLeft is what the pass itself
// has left, less its reserve: the time in which its report is written.
func (b NightBudget) Left(t Tally, spent, passLeft time.Duration) (acts int, left time.Duration, shut Gate) {
	acts, left = b.Count-t.Acted(), min(b.Time-spent, passLeft)
	switch {
	case b.Count == 0:
		return 0, 0, GatePaused
	case acts <= 0:
		return 0, 0, GateCount
	case left <= 0:
		return 0, 0, GateTime
	}
	return acts, left, GateOpen
}

// NightOf is the night that a moment belongs to: the UTC date of the last time that the hour of night struck.
func NightOf(now time.Time, hour int) time.Time {
	return now.UTC().Add(-time.Duration(hour) * time.Hour).Truncate(24 * time.Hour)
}
