package tui

import (
	"testing"

	"wiki/core/wiki"
)

func TestSkippedAndDeferredPairsOutliveALookAtOtherLists(t *testing.T) {
	t.Parallel()
	l := newLab(t, 6)
	l.press("s", "d")
	l.press("tab", "tab", "tab")
	l.shows("0 judged + 4 left + 1 skipped + 1 deferred = 6", " skipped ", " deferred ")
	l.press("/")
	l.typed("kind:asserted")
	l.press("enter")
	l.shows("filter: kind:asserted")
	l.press("esc")
	l.shows("0 judged + 4 left + 1 skipped + 1 deferred = 6", " skipped ", " deferred ")
}

func TestVerdictsOfTheSessionAreAmongTheJudgedAndTheSettled(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("a", "enter", "h", "esc")
	l.deliver()
	l.press("tab")
	l.shows("[to execute 1]", "> 0.", "supersede")
	l.press("tab")
	l.shows("[settled 1]", "> 0.", "dismiss")
}

func TestAFilterCountsOnlyWhatItLetsThrough(t *testing.T) {
	t.Parallel()
	l := newLab(t, 4)
	l.press("s")
	l.press("/")
	l.typed("kind:asserted")
	l.shows("kind:asserted▏")
	l.press("enter")
	l.shows("0 judged + 1 left + 0 skipped + 0 deferred = 1")
	l.press("esc")
	l.shows("0 judged + 3 left + 1 skipped + 0 deferred = 4")
}

func TestWhatWentWrongIsSaidToItsEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.press("enter")
	l.server.Fail(wiki.Errorf(wiki.CodeUnavailable, "no server answers at 127.0.0.1:7171: start it with wiki-server serve"))
	l.press("a")
	l.held(wiki.Errorf(wiki.CodeUnavailable, "no server answers at 127.0.0.1:7171: start it with wiki-server serve"))
	l.shows("degraded: no server answers", "acts are kept and sent later.", "a both stand, nothing is changed")
}
