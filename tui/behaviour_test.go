package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/fake"
	"wiki/tui/link"
	"wiki/tui/outbox"
)

func TestABurstOfKeysActsOnceForEach(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	fourth := l.row(3)
	l.press("j", "j", "j", "a")
	l.deliver()
	require.Equal(t, []string{"dismiss " + fourth}, l.server.Recorded())
	require.Equal(t, "Gateway port 4", l.selected())
}

func TestPastedTextNeverActs(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	for _, at := range []string{"", "enter", "w", "esc"} {
		if at != "" {
			l.press(at)
		}
		l.send(tea.PasteMsg{Content: "ahlmsdxXuUq\ry"})
	}
	require.Empty(t, l.acts.all)
	require.False(t, l.quit)
	l.press("e")
	l.send(tea.PasteMsg{Content: "the newer\x1b[2J one"})
	l.press("enter", "h")
	require.Equal(t, "the newer[2J one", l.acts.all[0].Verdict.Evidence)
}

func TestKeysGoToTheTopLayerOnly(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.press("enter")
	for _, open := range []string{"?", ":", "w", "e"} {
		l.press(open)
		l.press("j", "a", "m", "s", "1", "7", "2", "q")
		require.Empty(t, l.acts.all, open)
		require.False(t, l.quit, open)
		require.Equal(t, action.ScreenPair, l.model.active, open)
		l.press("esc")
	}
	l.press("h", "X")
	l.press("a", "m", "s", "1", "enter")
	require.Len(t, l.acts.all, 1, "enter is No")
	l.press("X", "y")
	require.Equal(t, outbox.Execute, l.acts.all[1].Kind)
}

func TestVerdictsByKey(t *testing.T) {
	t.Parallel()
	l := newLab(t, 5)
	ids := []string{l.row(0), l.row(1), l.row(2), l.row(3)}
	l.press("enter")
	for _, key := range []string{"a", "h", "l", "m"} {
		l.press(key)
	}
	l.shows("Gateway port 4", "4 to send")
	l.deliver()
	l.lacks("to send")
	require.Equal(t, []string{"dismiss " + ids[0], "supersede " + ids[1], "supersede " + ids[2], "merge " + ids[3]}, l.server.Recorded())
	left, right := l.acts.all[1].Verdict, l.acts.all[2].Verdict
	require.Equal(t, left.FirstID, *left.Authoritative)
	require.Equal(t, right.SecondID, *right.Authoritative)
	require.Equal(t, "high", left.Confidence)
	require.Contains(t, left.Evidence, "8080 | 8081", "a supersede without a note says what was compared")
	require.NotZero(t, left.SeenFirst)
}

func TestTheNextPairIsPaintedFromWhatWasReadAhead(t *testing.T) {
	t.Parallel()
	l := newLab(t, 5)
	l.press("enter")
	require.Equal(t, 4, l.server.Calls("pair"), "the pair and three ahead")
	l.server.Fail(wiki.Errorf(wiki.CodeUnavailable, "gone"))
	l.press("a", "a", "a")
	l.shows("service 3 listens on port 8080")
	l.press("a")
	l.shows("Gateway port 4", "could not be read")
}

func TestClaimsFollowThePairOnScreen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	first, second := l.row(0), l.row(1)
	l.press("enter")
	require.Equal(t, "curator", l.server.Held(first))
	l.press("J")
	require.Empty(t, l.server.Held(first))
	require.Equal(t, "curator", l.server.Held(second))
	l.press("esc")
	require.Empty(t, l.server.Held(second))
}

func TestAPairThatSomebodyElseHoldsCannotBeJudged(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.server.Change(l.row(0), func(p *api.Pair) {
		p.Conflict.Claim = &api.Claim{By: "ben", ExpiresAt: start.Add(time.Minute)}
	})
	l.press("enter", "a", "h") // the queue does not know of the claim yet
	l.shows("another curator", "ben holds this pair")
	require.Empty(t, l.acts.all)
}

func TestUndoNamesAndReturns(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	first := l.row(0)
	l.press("enter", "h")
	l.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	l.shows("takes back: keep “Gateway port 0” over “Port of gateway 0” · 1 undoable until executed")
	l.press("u") // before the server has heard of it
	l.shows("[left] Gateway port 0", "taken back: keep")
	l.deliver()
	require.Empty(t, l.server.Recorded())
	l.press("U")
	l.deliver()
	require.Equal(t, []string{"supersede " + first}, l.server.Recorded())
	l.press("u")
	l.deliver()
	require.Empty(t, l.server.Recorded())
}

func TestAPairThatIsTakenBackCanBeJudgedAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	first := l.row(0)
	l.press("enter", "a")
	l.deliver()
	l.press("u", "h") // the server still says that the pair is settled
	l.shows("[left] Gateway port 1")
	l.deliver()
	require.Equal(t, []string{"supersede " + first}, l.server.Recorded())

	l.press("u")
	l.deliver()
	l.server.Change(first, func(p *api.Pair) { p.Conflict.State = "settled" })
	l.event("conflict.judged")
	l.press("h")
	l.shows("already has a verdict")
}

func TestUndoSurvivesARestart(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	first := l.row(0)
	for _, keys := range [][]string{{"enter", "a"}, {"m"}} {
		l.press(keys...)
		l.deliver()
		l.pass(time.Minute)
	}
	l.open()
	l.shows("takes back: merge “Gateway port 1”", "2 undoable")
	for range 2 {
		l.press("u")
		l.deliver()
		l.pass(time.Minute)
	}
	require.Empty(t, l.server.Recorded())
	l.open()
	l.press("U")
	l.deliver()
	require.Equal(t, []string{"dismiss " + first}, l.server.Recorded(), "the last that was taken back")
}

func TestAnExecutedVerdictIsRevertedOrExplained(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("enter", "h")
	l.deliver()
	l.press("X", "y")
	l.deliver()
	l.shows("1 verdict executed")
	l.press("u")
	require.Equal(t, outbox.Revert, l.acts.all[2].Kind)
	l.deliver()
	require.Empty(t, l.server.Recorded())
}

func TestARefusedActComesBackWithItsReason(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	first := l.row(0)
	l.press("enter", "e")
	l.typed("mine")
	l.press("enter")
	l.server.Change(first, func(p *api.Pair) { p.First.Version = 9 })
	l.press("h", "a")
	l.deliver()
	l.shows("This was not done", "the pair changed since it was read")

	l.press("enter", "a", "y") // keys that were on their way to the next pair
	require.Len(t, l.acts.all, 2)
	l.shows("This was not done")
	l.pass(time.Second)
	l.press("enter")
	l.lacks("This was not done")
	l.shows("[left] Gateway port 0", "published v9", "note: mine")
}

func TestQuietEndsEvenUnderKeysWithoutEnd(t *testing.T) {
	t.Parallel()
	var c calm
	now := start
	c.begin(now)
	swallowed := 0
	for range 100 {
		now = now.Add(100 * time.Millisecond)
		if c.swallows(now) {
			swallowed++
		}
	}
	require.Equal(t, 14, swallowed)
	require.False(t, c.swallows(now))
}

func TestALostServerStopsNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 5)
	away := wiki.Errorf(wiki.CodeUnavailable, "no server answers")
	l.press("enter")
	l.server.Fail(away)
	l.press("a", "h", "a")
	l.held(away)
	require.Equal(t, link.Degraded, l.model.link.State())
	l.shows("[degraded]", "3 to send", "acts are kept and sent later")

	l.server.Fail(nil)
	reads := l.server.Calls("conflicts")
	l.deliver()
	require.Equal(t, link.Live, l.model.link.State(), "recovered, then everything read again")
	require.Greater(t, l.server.Calls("conflicts"), reads)
	require.Equal(t, 1, l.acts.kicks)
	require.Len(t, l.server.Recorded(), 3)
}

func TestAnExpiredKeyIsStuckAndLosesNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.press("a")
	l.send(actHeard{event: outbox.Event{Act: l.acts.pending[0], Held: &outbox.Hold{Err: wiki.Errorf(wiki.CodeKeyExpired, "the key has expired"), Stuck: true}}})
	l.shows("[stuck]", "the key has expired", "1 to send")
	require.Len(t, l.acts.pending, 1)
}

func TestAnotherCuratorsVerdictShows(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("j")
	gone := l.row(0)
	l.server.Change(gone, func(p *api.Pair) { p.Conflict.State = "settled" })
	l.server.Insert(fake.Sample(9, start))
	l.event("conflict.judged")
	l.shows("Gateway port 9")
	l.lacks("Gateway port 0")
	require.Equal(t, "Gateway port 1", l.selected(), "the selection stays on its pair")
}

func TestAVerdictOnThePairOnScreenShows(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("enter")
	l.server.Change(l.row(0), func(p *api.Pair) {
		p.Conflict.State = "settled"
		p.Conflict.Verdict = &api.Verdict{ID: uuid.New(), Disposition: "dismiss", By: "ben", JudgedAt: start}
	})
	l.event("conflict.judged")
	l.shows("judged: dismiss by ben")
	l.press("a")
	require.Empty(t, l.acts.all)
	l.shows("already has a verdict")
}

func TestATextThatChangedUnderTheEyesIsSaid(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("enter")
	l.server.Change(l.row(0), func(p *api.Pair) {
		body := "The gateway listens on port 9090.\n"
		p.First.Body, p.First.Version = &body, 7
	})
	l.event("article.updated")
	l.shows("changed just now", "port 9090")
}

func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	before := l.model.queue.Load() // asked, not yet answered
	l.press("/")
	l.typed("kind:asserted")
	l.press("enter")
	l.run(before)
	l.shows("No pair matches the filter")
}

func TestDisabledKeysSayWhy(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.press("3")
	l.shows("the Drafts screen is not part of this version")
	l.press("u")
	l.shows("nothing of yours can be taken back")
	l.press("X")
	l.shows("no verdict waits")
}

func TestHelpRunsWhatItFinds(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.press("enter", "?")
	l.typed("merge")
	l.press("enter")
	require.Equal(t, "merge", l.acts.all[0].Verdict.Disposition)
}

func TestTheEndOfTheQueueActsOnNothing(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("enter", "s", "a")
	l.shows("That was the last one", "1 pair skipped: enter brings them back")
	l.press("a", "d")
	require.Len(t, l.acts.all, 1, "the skipped pair is not on screen: no key acts on it")
	l.press("enter")
	l.shows("[left] Gateway port 0")
	l.press("a")
	l.shows("2 pairs judged in this session")
}

func TestDeferredPairsStayAwayUntilTomorrow(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("d")
	require.Equal(t, "Gateway port 1", l.selected())
	l.open()
	l.shows("0 judged + 1 left + 0 skipped + 1 deferred = 2")
	l.pass(24 * time.Hour)
	l.open()
	l.shows("0 judged + 2 left + 0 skipped + 0 deferred = 2")
}

func TestUnsentActsOfTheLastSessionStayAway(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.press("a")
	l.open()
	l.shows("1 judged + 2 left", "1 to send", "takes back: both stand")
}

func TestThePagesBelowAreReadOnTheWay(t *testing.T) {
	t.Parallel()
	l := newLab(t, 450)
	require.Equal(t, 100, l.model.queue.Queue.Loaded())
	l.press("G")
	require.Equal(t, 200, l.model.queue.Queue.Loaded())
	for range 8 {
		l.press("G")
	}
	require.Equal(t, 450, l.model.queue.Queue.Loaded())
	require.Equal(t, "Gateway port 449", l.selected())
	at := l.selected()
	l.event("conflict.flagged")
	require.Equal(t, at, l.selected())
}

func TestResizeStormsAndTheFloor(t *testing.T) {
	t.Parallel()
	l := newLab(t, 3)
	l.press("enter")
	for w := range 220 {
		l.send(tea.WindowSizeMsg{Width: w, Height: 70 - w%70})
		_ = l.screen()
	}
	l.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	l.shows("[left] Gateway port 0", "h/l retire the other")
	for _, size := range []tea.WindowSizeMsg{{Width: 39, Height: 12}, {Width: 40, Height: 11}} {
		l.send(size)
		l.shows("needs 40 x 12")
	}
}

func TestWithoutAnAnswerTheFirstFrameStands(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	m := New(t.Context(), l.model.cfg)
	m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	require.Contains(t, m.View().Content, "Reading the queue")
	require.Contains(t, m.View().Content, "[connecting]")
}

func TestTheGateOpensByItselfAndSwallowsKeysInFlight(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.server.Fail(wiki.Errorf(wiki.CodeUnavailable, "no server answers"))
	l.open()
	l.shows("The server does not answer")
	l.pass(time.Second)
	l.server.Add(fake.Sample(0, start))
	l.server.Fail(nil)
	l.press("r", "a")
	l.shows("Gateway port 0")
	require.Empty(t, l.acts.all, "the second key was meant for the screen before")
}

func TestNoHostileTextReachesTheTerminal(t *testing.T) {
	t.Parallel()
	evil := "\x1b[2J\x1b]0;pwned\x07\x9b31m\u202egnp.exe\u2066\x00\r\b日本語👩‍👩‍👧 e\u0301\u0301"
	p := fake.Sample(0, start)
	body := evil + "\n\n" + evil
	p.First.Title, p.First.Body, p.First.CreatedBy = evil, &body, evil
	p.Conflict.First.Title, p.Conflict.First.CreatedBy, p.Conflict.First.Status, p.Conflict.First.Category = evil, evil, evil, evil
	p.Conflict.Evidence, p.Conflict.FlaggedBy = evil, evil
	p.Conflict.Differing = []api.Difference{{Kind: evil, First: evil, Second: evil}}
	l := newLab(t, 0)
	l.server.Add(p)
	l.server.Caller(func(w *api.Whoami) { w.Tenant, w.Principal, w.Role = evil, evil, "user" })
	l.open(func(c *Config) { c.Server = evil })
	look := func() {
		t.Helper()
		require.NotRegexp(t, controlBytes, l.screen())
	}
	look()
	for _, keys := range [][]string{{"enter"}, {"w"}, {"w", "t"}, {"t"}, {"e"}, {"esc", "?"}, {"esc", "h"}, {"u"}, {"U", "X"}} {
		l.press(keys...)
		look()
	}
	l.press("n")
	l.send(actHeard{event: outbox.Event{Act: l.acts.all[0], Refused: wiki.Errorf(wiki.CodeStale, "%s", evil)}})
	look()
}

func TestQuitKeepsTheSummary(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("enter")
	for _, k := range []string{"a", "h", "s"} {
		l.pass(7 * time.Second)
		l.press(k)
	}
	l.press("u", "q")
	require.True(t, l.quit)
	require.Equal(t, "2 pairs judged in 21s: 1 both stand, 1 superseded. Half of them took less than 7s.\n1 taken back, 1 skipped.\n3 acts have not reached the server yet; the next start sends what is left.\n",
		l.model.Session().Summary(l.now, len(l.acts.pending)))
	require.Empty(t, Session{Started: start}.Summary(start, 0), "nothing done, nothing said")
}
