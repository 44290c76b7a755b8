package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/drafts"
	"wiki/tui/drift"
	"wiki/tui/fake"
	"wiki/tui/outbox"
	"wiki/tui/proposals"
	"wiki/tui/screen"
	"wiki/tui/suppressed"
	"wiki/tui/undo"
)

// offering starts a workbench with the proposals screen, before a proposal to archive three articles.
func offering(t *testing.T) (l *lab, id uuid.UUID) {
	l = newLab(t, 1)
	id = uuid.MustParse("00000000-0000-7000-8000-00000000a001")
	p := api.BulkProposal{ID: id, Op: "archive", Rationale: "switched off", MintedBy: "scout", MintedRole: "agent", MintedAt: start, ExpiresAt: start.Add(time.Hour)}
	for i := range 3 {
		one := 1
		p.Items = append(p.Items, api.BulkItem{Position: i + 1, ID: uuid.New(), Title: "Runbook", Version: &one, Current: 1, Status: "published"})
	}
	l.server.Offer(p)
	l.open(withProposals(l))
	return l, id
}

func withProposals(l *lab) func(*Config) {
	return func(c *Config) {
		c.Screens = map[action.ID]func(*screen.Env) screen.Screen{
			action.ScreenProposals: func(env *screen.Env) screen.Screen { return proposals.New(env, l.server) },
		}
	}
}

func TestAnApprovalAsksFirstAndIsCarriedToItsEnd(t *testing.T) {
	t.Parallel()
	l, _ := offering(t)
	l.settle()
	l.shows("6 Proposals 1") // before it is entered
	l.press("6", "enter", "space", "a")
	l.shows("Archive 2 articles?", "1 article is left out", "No, leave it")
	l.press("enter")
	require.Empty(t, l.acts.all, "the default is No")
	l.press("a", "y")
	l.shows("on its way: Archive 2 articles", "1 to send", "No proposal waits.")
	l.deliver()
	l.shows("Archive 2 articles: 2 archived, 1 excluded")
	require.Equal(t, 1, l.server.Calls("carry on"), "a run of two takes two calls")
	l.press("tab", "tab")
	l.shows("[executed]", "2 archived, 1 exclu")
}

func TestADecisionThatCameTooLateIsSaidAndCanBeLookedAt(t *testing.T) {
	t.Parallel()
	l, id := offering(t)
	l.press("6", "enter", "r")
	l.typed("still needed")
	l.press("enter")
	require.Equal(t, "still needed", l.acts.all[0].Reason)
	_, err := l.server.WithdrawProposal(t.Context(), id, "", "")
	require.NoError(t, err)
	l.press("1")
	l.deliver()
	l.shows("This was not done", "reject: Archive 3 articles", "withdrawn already", "look at it again")
	l.pass(time.Second)
	l.press("enter")
	require.Equal(t, action.ScreenProposals, l.model.active)
}

func TestADecisionOfTheLastSessionStaysOffTheList(t *testing.T) {
	t.Parallel()
	l, _ := offering(t)
	l.press("6", "enter", "a", "y")
	l.open(withProposals(l))
	l.press("6")
	l.shows("1 to send", "No proposal waits.")
	l.deliver()
	l.shows("3 archived")
}

func TestARunThatAnotherCallCarriesOnIsNoFailure(t *testing.T) {
	t.Parallel()
	l, id := offering(t)
	r, err := Deliver(claimed{l.server})(t.Context(), outbox.Act{Kind: outbox.Approve, Key: "k", Subject: &id, Approval: &api.Approval{}}, uuid.Nil)
	require.NoError(t, err)
	require.Equal(t, 2, r.Run.Left)
	require.Equal(t, "Archive 3 articles: 1 archived, 2 left; the server carries on with the rest",
		doneNote(outbox.Act{What: "Archive 3 articles"}, r).Text)
	_, err = Deliver(l.server)(t.Context(), outbox.Act{Kind: "fly", Subject: &id}, uuid.Nil)
	require.Equal(t, wiki.CodeInvalid, wiki.ErrorCode(err))
}

// claimed is a server on which somebody else carries every run on.
type claimed struct{ *fake.Server }

func (claimed) ExecuteProposal(context.Context, uuid.UUID) (api.BulkRun, api.Meta, error) {
	return api.BulkRun{}, api.Meta{}, wiki.Errorf(wiki.CodeClaimed, "another call carries it on")
}

// hiding starts a workbench with the suppressed screen, before two hidden articles.
func hiding(t *testing.T) (l *lab, ids []uuid.UUID) {
	l = newLab(t, 2)
	for i, title := range []string{"Old port", "Old mail"} {
		at := start.Add(-time.Hour)
		ids = append(ids, uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-00000000b00%d", i)))
		l.server.Keep(api.Article{ID: ids[i], Title: title, Status: "published", SuppressedAt: &at, SuppressedBy: "ana", SuppressionReason: "wrong since March"})
	}
	l.open(withSuppressed(l))
	return l, ids
}

func withSuppressed(l *lab) func(*Config) {
	return func(c *Config) {
		c.Screens = map[action.ID]func(*screen.Env) screen.Screen{
			action.ScreenSuppressed: func(env *screen.Env) screen.Screen { return suppressed.New(env, l.server) },
		}
	}
}

func TestALiftIsTakenBackAndDoneAgain(t *testing.T) {
	t.Parallel()
	l, ids := hiding(t)
	l.press("5", "l")
	l.deliver()
	require.Nil(t, l.server.Kept(ids[0]).SuppressedAt)
	l.pass(10 * time.Second)
	l.shows("u takes back: lift the suppression of “Old port” · 1 undoable\n")
	l.press("u")
	l.deliver()
	require.Equal(t, "wrong since March", l.server.Kept(ids[0]).SuppressionReason)
	l.shows("Old port")
	l.press("U")
	l.deliver()
	require.Nil(t, l.server.Kept(ids[0]).SuppressedAt)
	l.press("u", "l", "u", "u") // all before the server has heard of it
	l.deliver()
	require.NotNil(t, l.server.Kept(ids[0]).SuppressedAt)
	require.NotNil(t, l.server.Kept(ids[1]).SuppressedAt)
}

func TestUndoTakesTheNewestActOfWhateverKind(t *testing.T) {
	t.Parallel()
	l, ids := hiding(t)
	for _, keys := range [][]string{{"a"}, {"5", "l"}, {"1", "a"}} {
		l.press(keys...)
		l.deliver()
		l.pass(time.Minute)
	}
	l.press("u")
	l.deliver()
	require.Len(t, l.server.Recorded(), 1)
	l.press("u")
	l.deliver()
	require.NotNil(t, l.server.Kept(ids[0]).SuppressedAt)
	require.Len(t, l.server.Recorded(), 1)
	l.press("u")
	l.deliver()
	require.Empty(t, l.server.Recorded())
}

func TestALiftOfAnotherSessionIsTakenBack(t *testing.T) {
	t.Parallel()
	l, ids := hiding(t)
	l.press("5", "l")
	l.deliver()
	l.pass(time.Minute)
	l.open(withSuppressed(l))
	l.settle()
	l.shows("u takes back: lift the suppression of “Old port”")
	l.press("u")
	l.deliver()
	require.NotNil(t, l.server.Kept(ids[0]).SuppressedAt)
	l.pass(time.Minute)
	l.open(withSuppressed(l))
	l.lacks("takes back")
	l.press("U")
	l.deliver()
	require.Nil(t, l.server.Kept(ids[0]).SuppressedAt, "what was taken back is done again, after a restart too")
}

func TestWhatCannotBeTakenBackAnyMoreIsSaidOnce(t *testing.T) {
	t.Parallel()
	l, ids := hiding(t)
	l.press("5", "l")
	l.deliver()
	_, err := l.server.Suppress(t.Context(), ids[0], "wrong again", "")
	require.NoError(t, err)
	l.press("u")
	l.deliver()
	l.shows("This was not done", "suppressed already")
	l.pass(time.Second)
	l.press("esc", "u")
	l.shows("nothing of yours can be taken back")
}

// drifting starts a workbench with the drift screen, before one submission.
func drifting(t *testing.T) (l *lab, article uuid.UUID) {
	l = newLab(t, 0)
	article = uuid.MustParse("00000000-0000-7000-8000-00000000c001")
	old, sent := "It is 8080.", "It is 8081."
	l.server.Keep(api.Article{ID: article, Title: "Gateway port", Body: &old, Version: 3, Status: "published"})
	l.server.Submit(api.Drift{ID: uuid.New(), Article: api.ArticleRef{ID: article, Title: "Gateway port"}, ArticleVersion: 3, Title: "Gateway port", Body: &sent, ContentDrift: true, SubmittedBy: "scout", SubmittedAt: start})
	l.open(withDrift(l))
	return l, article
}

func withDrift(l *lab) func(*Config) {
	return func(c *Config) {
		c.Screens = map[action.ID]func(*screen.Env) screen.Screen{
			action.ScreenDrift: func(env *screen.Env) screen.Screen { return drift.New(env, l.server) },
		}
	}
}

func TestAnAdoptionIsTakenBackByTheVersionBeforeIt(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"in the session": false, "in the next one": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, article := drifting(t)
			l.press("4", "enter", "a", "u")
			l.shows("is on its way: it can be\ntaken back when the server has answered")
			l.deliver()
			require.Equal(t, "It is 8081.", *l.server.Kept(article).Body)
			l.pass(time.Minute)
			if restart {
				l.open(withDrift(l))
			}
			l.shows("u takes back: adopt what was submitted for “Gateway port” · 1 undoable\n")
			l.press("u")
			l.deliver()
			require.Equal(t, "It is 8080.", *l.server.Kept(article).Body)
			require.Equal(t, 5, l.server.Kept(article).Version, "the history is added to")
			l.pass(time.Minute)
			l.press("u")
			l.shows("nothing of yours can be taken back")
			l.press("U")
			l.shows("nothing was taken back that could be done again")
		})
	}
}

func TestAnAdoptionIsNotTakenBackOverALaterChange(t *testing.T) {
	t.Parallel()
	l, article := drifting(t)
	l.press("4", "enter", "a")
	l.deliver()
	later := "It is 9090."
	_, err := l.server.Update(t.Context(), article, 0, api.ArticlePatch{Body: &later}, "")
	require.NoError(t, err)
	l.press("u")
	l.deliver()
	l.shows("This was not done", "version 5")
	require.Equal(t, later, *l.server.Kept(article).Body)
}

func TestAnAdoptionThatChangedNothingIsNotTakenBack(t *testing.T) {
	t.Parallel()
	var l undo.Ledger
	article, key := uuid.New(), "k"
	a := outbox.Act{Key: key, Kind: outbox.Adopt, Subject: &article, Article: &article, At: start}
	l.Add(a)
	l.Done(a, outbox.Result{}, start)
	_, _, ok := l.Undo()
	require.False(t, ok)
}

func TestADismissalAsksFirst(t *testing.T) {
	t.Parallel()
	l, _ := drifting(t)
	l.press("4", "d", "enter")
	require.Empty(t, l.acts.all)
	l.press("d", "y")
	l.deliver()
	l.shows("done: dismiss what was submitted for “Gateway port”", "Nothing has drifted.")
	l.press("tab", "tab")
	l.shows("[dismissed]", "scout")
}

func TestActsOnDraftsAreTakenBack(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	ids := make([]uuid.UUID, 3)
	for i := range ids {
		ids[i] = uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-00000000d00%d", i))
		body := "It is 8080.\n"
		l.server.Keep(api.Article{ID: ids[i], Title: fmt.Sprintf("Draft %d", i), Body: &body, Version: 1, Status: "draft", InsertedAt: start})
	}
	l.open(func(c *Config) {
		c.Screens = map[action.ID]func(*screen.Env) screen.Screen{
			action.ScreenDrafts: func(env *screen.Env) screen.Screen { return drafts.New(env, l.server) },
		}
	})
	l.model.Env().Edit = func(text string, done func(string, error) tea.Msg) tea.Cmd {
		return func() tea.Msg { return done(text+"More.\n", nil) }
	}
	state := func() (s []string) {
		for _, id := range ids {
			a := l.server.Kept(id)
			s = append(s, a.Status+" "+strings.ReplaceAll(*a.Body, "\n", " "))
		}
		return s
	}
	before := state()
	for _, key := range []string{"p", "d", "e"} {
		l.press("3", "enter", key)
		l.deliver()
		l.pass(time.Minute)
	}
	require.Equal(t, []string{"published It is 8080. ", "archived It is 8080. ", "draft It is 8080. More. "}, state())
	l.shows("u takes back: edit “Draft 2” · 3 undoable\n")
	for range 3 {
		l.press("u")
		l.deliver()
		l.pass(time.Minute)
	}
	require.Equal(t, before, state())
	l.press("U", "U")
	l.deliver()
	require.Equal(t, []string{"published It is 8080. ", "archived It is 8080. ", "draft It is 8080. "}, state(), "an edit is not done again: it was of another version")
}

func TestALowWindowShowsAllOfAQuestion(t *testing.T) {
	t.Parallel()
	l, _ := offering(t)
	l.press("6", "enter", "space", "a")
	l.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	l.shows("Archive 2 articles?", "No, leave it", "y Archive 2 articles", "… j")
	l.lacks("brought back")
	l.press("j", "j", "j", "j", "j", "j")
	l.shows("itself.", "No, leave it", "y Archive 2 articles")
	l.lacks("… j")
	l.press("k", "y")
	require.Len(t, l.acts.all, 1)
}

func TestEveryScreenHasItsKeyAtEveryWidth(t *testing.T) {
	t.Parallel()
	l, _ := offering(t)
	l.open(func(c *Config) {
		c.Screens = map[action.ID]func(*screen.Env) screen.Screen{}
		for _, id := range screenTabs[2:] {
			c.Screens[id] = func(env *screen.Env) screen.Screen { return proposals.New(env, l.server) }
		}
	})
	l.settle()
	l.press("6")
	tabs := map[int]string{}
	for _, width := range []int{40, 60, 80, 100, 120, 200} {
		l.send(tea.WindowSizeMsg{Width: width, Height: 24})
		row := strings.Split(l.screen(), "\n")[1]
		tabs[width] = row
		for _, key := range []string{"1", "2", "3", "4", "5", "[6 Proposals 1]", "7", "8", "9"} {
			require.Contains(t, row, key, width)
		}
	}
	require.Equal(t, "1:1 2 3:1 4:1 5:1 [6 Proposals 1] 7:1 8:1 9:1", strings.TrimSpace(tabs[60]))
	require.Contains(t, tabs[100], " 4 Drif 1 ")
	require.Contains(t, tabs[200], " 4 Drift 1 ")
}
