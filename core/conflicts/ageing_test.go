package conflicts_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/conflicts"
	"wiki/core/wiki"
)

func (w *world) ageing(t testing.TB, who wiki.Actor) conflicts.Ageing {
	t.Helper()
	a, err := w.Ageing(t.Context(), who)
	require.NoError(t, err)
	return a
}

// A queue that grows faster than it's judged says so by two numbers: what came in a day, and how long the oldest pair waits.
func TestCase85TheQueueSaysWhatItTakesInAndHowLongItsOldestWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := w.ageing(t, w.user)
	require.Zero(t, none.Open+none.Intake)
	require.Zero(t, none.OldestAge())

	w.flagged(t, private) // scribe's: another agent is told nothing of it, not even by a number
	w.clock.Pass(30 * time.Hour)
	a, b := w.flagged(t)
	w.flagged(t)
	now := w.ageing(t, w.user)
	require.Equal(t, 3, now.Open)
	require.Equal(t, 2, now.Intake)
	require.InDelta(t, 30*time.Hour, now.OldestAge(), float64(time.Hour))
	seen := w.ageing(t, w.other)
	require.Equal(t, 2, seen.Open)
	require.Less(t, seen.OldestAge(), time.Hour)

	w.judge(t, w.user, dismissal(a, b))
	now = w.ageing(t, w.user)
	require.Equal(t, 2, now.Open)
	require.Equal(t, 2, now.Intake, "it came in, whatever became of it")
	all, err := w.AgeingEverywhere(t.Context())
	require.NoError(t, err)
	require.Equal(t, [2]int{now.Open, now.Intake}, [2]int{all.Open, all.Intake})
	require.Equal(t, now.Oldest, all.Oldest)

	_, gone := w.flagged(t)
	_, err = w.Record.Archive(t.Context(), w.agent, gone.ID, "old", "")
	require.NoError(t, err)
	require.Equal(t, [2]int{2, 3}, [2]int{w.ageing(t, w.user).Open, w.ageing(t, w.user).Intake}, "a pair that closed itself doesn't wait")
	w.clock.Pass(conflicts.IntakeWindow)
	require.Zero(t, w.ageing(t, w.user).Intake)
}
