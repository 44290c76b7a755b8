package wiki_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"wiki/core/wiki"
)

func TestNightBudgetSaysWhyAConsumerStops(t *testing.T) {
	t.Parallel()
	b := wiki.NightBudget{Count: 10, Time: time.Minute}
	for _, c := range []struct {
		name            string
		budget          wiki.NightBudget
		done            wiki.Tally
		spent, passLeft time.Duration
		acts            int
		left            time.Duration
		gate            wiki.Gate
	}{
		{"fresh", b, wiki.Tally{}, 0, time.Hour, 10, time.Minute, wiki.GateOpen},
		{"what was withheld costs nothing", b, wiki.Tally{Offered: 50, Withheld: 50}, 0, time.Hour, 10, time.Minute, wiki.GateOpen},
		{"failures count", b, wiki.Tally{Applied: 3, Refused: 3, Failed: 4}, 0, time.Hour, 0, 0, wiki.GateCount},
		{"its time is over", b, wiki.Tally{}, time.Minute, time.Hour, 0, 0, wiki.GateTime},
		{"the pass's time is over", b, wiki.Tally{}, 0, 0, 0, 0, wiki.GateTime},
		{"the pass has less", b, wiki.Tally{Applied: 1}, 0, time.Second, 9, time.Second, wiki.GateOpen},
		{"a budget of none pauses", wiki.NightBudget{Time: time.Minute}, wiki.Tally{}, 0, time.Hour, 0, 0, wiki.GatePaused},
	} {
		acts, left, gate := c.budget.Left(c.done, c.spent, c.passLeft)
		require.Equal(t, c.acts, acts, c.name)
		require.Equal(t, c.left, left, c.name)
		require.Equal(t, c.gate, gate, c.name)
	}
}

// A night that was cut short, a paused one and an empty one read differently (seed, invariant 7).
func TestOnlyAnOpenPausedOrUndueGateMeansNothingWasLeft(t *testing.T) {
	t.Parallel()
	for gate, cut := range map[wiki.Gate]bool{
		wiki.GateNotReached: true, wiki.GateCount: true, wiki.GateTime: true, wiki.GateStopped: true, wiki.GateBroken: true,
		wiki.GateOpen: false, wiki.GatePaused: false, wiki.GateNotDue: false,
	} {
		require.Equal(t, cut, gate.Cut(), string(gate))
	}
}

func TestNightBeginsAtItsHour(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hour := rapid.IntRange(0, 23).Draw(t, "hour")
		now := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "now"), 0).UTC()
		night := wiki.NightOf(now, hour)
		begins := night.Add(time.Duration(hour) * time.Hour)
		require.False(t, now.Before(begins))
		require.True(t, now.Before(begins.Add(24*time.Hour)))
	})
}
