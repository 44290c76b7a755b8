package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/fake"
	"wiki/tui/outbox"
)

func (l *lab) dismissed(rows ...int) (out []string) {
	for _, i := range rows {
		p := fake.Sample(i, start)
		out = append(out, "dismiss "+p.First.ID.String()+"."+p.Second.ID.String())
	}
	return out
}

func TestMarkedPairsAreJudgedTogetherAndTakenBackByOneUndo(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	l.press("space", "space", "j", "space")
	l.shows("3 marked", "> ", "* 0.970")
	l.press("a")
	l.shows("Both stand, in 3 pairs?", "undo takes all of them back.", "“Gateway port 3” / “Port of gateway 3” (number 8080 | 8081)", "Record 3 pairs")
	require.Empty(t, l.acts.all, "what would happen is seen before it is done")
	l.press("enter")
	require.Empty(t, l.acts.all, "the answer that enter gives is no")
	l.shows("3 marked")
	l.press("a", "y")
	l.shows("on its way: both stand, in 3 pairs")
	l.lacks("marked")
	l.deliver()
	require.Equal(t, l.dismissed(0, 1, 3), l.server.Recorded())
	l.shows("3 verdicts recorded")
	require.Equal(t, 3, l.model.Session().Judged())

	l.press("u")
	l.shows("taken back: both stand, in 3 pairs")
	l.deliver()
	require.Empty(t, l.server.Recorded())
	require.Equal(t, 6, l.model.queue.Queue.Len())
	l.press("U")
	l.deliver()
	require.ElementsMatch(t, l.dismissed(0, 1, 3), l.server.Recorded())
	l.press("j", "a")
	l.deliver()
	l.press("u", "u")
	l.deliver()
	require.Empty(t, l.server.Recorded(), "one undo for the single verdict, one for the three")
}

// Undo and redo before the server has answered take the same verdicts as after.
func TestABatchOnItsWayIsTakenBackAsOne(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("space", "space", "space", "a", "y")
	l.deliverOne()
	l.press("u")
	require.Len(t, l.acts.all, 6)
	l.press("U", "u", "U")
	l.deliver()
	require.ElementsMatch(t, l.dismissed(0, 1, 2), l.server.Recorded())
}

// A session that died with the batch on its way: what is left of it is still one.
func TestABatchIsOneAfterARestartThatSendsIt(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("space", "space", "a", "y")
	l.pass(time.Second)
	l.open()
	l.deliver()
	l.press("u")
	l.deliver()
	require.Empty(t, l.server.Recorded())
}

func TestThePreviewSaysWhatWillNotBeDoneAndWhy(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.server.Change(l.row(1), func(p *api.Pair) {
		p.Conflict.Claim = &api.Claim{By: "ben", ExpiresAt: start.Add(6 * time.Minute)}
	})
	l.server.Change(l.row(3), func(p *api.Pair) { p.Conflict.FlaggedBy = "curator" })
	l.event("claim.taken")
	l.press("*")
	l.shows("4 marked")
	l.press("a")
	l.shows("Both stand, in 2 of 4 pairs?", "2 will be recorded, 2 will not.", "not “Gateway port 1” / “Port of gateway 1”: held by ben just now",
		"“Port of gateway 3”: you flagged it, so")
	l.press("y")
	l.deliver()
	require.Equal(t, l.dismissed(0, 2), l.server.Recorded())
	l.shows("2 marked")
	l.press("a")
	l.shows("none of the marked pairs can be judged now", "held by ben")
}

// One that the server refuses holds no other up, comes back, and is listed with the reason.
func TestEachPairHasItsOwnResult(t *testing.T) {
	t.Parallel()
	l := newLab(t, 12)
	l.press("*", "a")
	for i := 1; i < 11; i++ {
		l.server.Change(l.row(i), func(p *api.Pair) { p.First.Version = 9 })
	}
	l.press("y")
	l.deliver()
	require.Equal(t, l.dismissed(0, 11), l.server.Recorded())
	l.shows("These were not done, and the pairs are back in the queue", "“Gateway port 1”", "the pair changed since it was read",
		"2 verdicts recorded, 10 not: those pairs are back in the queue", "… j shows more")
	l.lacks("and “Port of gateway 10”")
	l.pass(time.Minute)
	l.press("G")
	l.shows("and “Port of gateway 10”")
	l.press("esc")
	require.Equal(t, 10, l.model.queue.Queue.Len())
	require.Equal(t, 10, l.model.Session().Returned)
}

func TestARangeIsMarkedAndEscEndsItOnly(t *testing.T) {
	t.Parallel()
	l := newLab(t, 10)
	l.press("j", "v", "j", "j")
	l.shows("range of 3 pairs: space")
	l.press("esc")
	l.lacks("range of")
	l.press("v", "k", "k", "space")
	l.shows("3 marked")
	l.press("v", "j", "space")
	l.shows("1 marked") // all of the range had a mark
	l.press("G", "space", "esc")
	l.shows("2 marked")
	l.press("o")
	l.shows("2 marked", "by newest")
	l.press("M")
	l.lacks("marked")
}

func TestAllBehindTheFilterAreMarkedThoseNotReadToo(t *testing.T) {
	t.Parallel()
	l := newLab(t, 250)
	l.press("*")
	l.shows("250 marked")
	l.press("*")
	l.lacks("marked")
	l.press("/")
	l.typed("kind:asserted")
	l.press("enter", "*")
	l.shows("62 marked")
	l.press("esc", "space")
	l.shows("63 marked") // those of the filter stay
	l.press("a", "y")
	l.deliver()
	require.Len(t, l.server.Recorded(), 63)
}

func TestNoMoreAreMarkedThanCanBeSeenThrough(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1100)
	l.press("*")
	l.shows("1000 marked", "the first 1000 pairs are marked: no more can be judged at once")
	l.press("G", "G", "space")
	l.shows("1000 marked", "no more can be judged at once", "> ", "Gateway port 1099")
}

func TestAllIsNotMarkedWhenItCannotBeRead(t *testing.T) {
	t.Parallel()
	l := newLab(t, 250)
	l.server.Fail(wiki.Errorf(wiki.CodeTimeout, "the query took too long"))
	l.press("*")
	l.shows("the other pairs could not be read, so none was marked: the query took too long")
	l.lacks(" marked  by")
}

func TestSkipAndDeferActOnTheMarked(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	l.press("space", "space", "s")
	l.shows("Skip 2 pairs?")
	l.press("y")
	l.shows("2 pairs skipped for now", "0 judged + 4 left + 2 skipped + 0 deferred = 6")
	l.press("space", "space", "d")
	l.shows("Put 2 pairs away until tomorrow?")
	l.press("y")
	l.shows("0 judged + 2 left + 2 skipped + 2 deferred = 6")
	require.Empty(t, l.acts.all)
	l.open()
	l.shows("2 deferred")
	require.Equal(t, "Gateway port 0", l.selected(), "skips are of a session")
}

// A pair that somebody else settled leaves the marks with the list.
func TestAMarkGoesWithItsPair(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("space", "space")
	l.server.Change(l.row(0), func(p *api.Pair) { p.Conflict.State = "settled" })
	l.event("verdict.recorded")
	l.shows("1 marked")
	l.press("tab", "space")
	l.shows("only open pairs can be judged")
}

func TestAScriptJudgesTogether(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	for _, id := range []action.ID{action.MarkAll, action.Dismiss} {
		l.send(Do{ID: id})
	}
	rows := strings.Join(l.model.Situation().Rows, "\n")
	require.Contains(t, rows, "Both stand, in 3 pairs?")
	l.send(Do{ID: action.Yes})
	l.deliver()
	require.Len(t, l.server.Recorded(), 3)
}

func TestABatchCountsInTheSummaryByItsTime(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("*", "a")
	l.pass(40 * time.Second)
	l.press("y")
	require.Contains(t, l.model.Session().Summary(l.now, 0), "4 pairs judged in 40s: 4 both stand. Half of them took less than 10s.")
	for _, a := range l.acts.all {
		require.Equal(t, outbox.Judge, a.Kind, fmt.Sprint(a))
		require.Equal(t, l.acts.all[0].Batch, a.Batch)
	}
}
