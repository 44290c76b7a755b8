package drift_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/drift"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

func ptr[T any](v T) *T { return &v }

type source struct {
	rows   []api.Drift
	err    error
	asked  []api.DriftQuery
	stood  string
	newest int
}

func (s *source) Drift(_ context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error) {
	s.asked = append(s.asked, q)
	meta := api.Meta{Counts: map[string]int{"open": len(s.rows), "adopted": 0, "dismissed": 0}}
	if q.State != "open" {
		return nil, meta, s.err
	}
	from := 0
	if q.Cursor != "" {
		from = 100
	}
	to := min(from+100, len(s.rows))
	if to < len(s.rows) {
		meta.NextCursor = "more"
	}
	return s.rows[from:to], meta, s.err
}

func (s *source) Versions(context.Context, uuid.UUID) ([]api.ArticleVersion, error) {
	return []api.ArticleVersion{{Version: max(2, s.newest)}, {Version: 1}}, s.err
}

func (s *source) Version(context.Context, uuid.UUID, int) (api.ArticleVersion, error) {
	return api.ArticleVersion{Version: 2, Title: "Gateway port", Body: ptr(s.stood)}, s.err
}

func filled(n int) *source {
	s := &source{stood: "The gateway listens on port 8080.\n\nRestart it.\n"}
	for i := range n {
		s.rows = append(s.rows, api.Drift{
			ID: id(i), Article: api.ArticleRef{ID: id(1000 + i), Title: fmt.Sprintf("Gateway port %d", i)}, ArticleVersion: 2, Title: "Gateway port",
			Body: ptr("The gateway listens on port 8081.\n\nRestart it.\n"), ContentDrift: true, TitleDrift: i%2 == 1, SubmittedBy: "ana",
			SubmittedAt: screentest.Now.Add(-time.Duration(i+1) * time.Hour), State: "open",
		})
	}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	return screentest.Start(t, drift.New(screentest.Env(), src), width, height)
}

func TestComparesWithWhatStood(t *testing.T) {
	t.Parallel()
	d := start(t, filled(3), 120, 20).Press("j", "enter")
	require.Contains(t, d.Text(), "change 1 of 1 · side by side")
	require.Contains(t, d.Text(), "port [-8080-].")
	require.Contains(t, d.Text(), "port {+8081+}.")
	d.Press("t", "f", "s", "G", "N", "n", "esc")
	require.Contains(t, d.Text(), "> title, text")
	d.Press("o")
	require.Equal(t, []tea.Msg{screen.ReadArticle{ID: id(1001).String()}}, d.Sent)
	n, counted := d.Count()
	require.True(t, counted)
	require.Equal(t, 3, n)
}

func TestPagesAndStates(t *testing.T) {
	t.Parallel()
	src := filled(150)
	d := start(t, src, 80, 20).Press("G")
	require.Contains(t, d.Text(), "Gateway port 99\n", "as far as was read")
	n, _ := d.Count()
	require.Equal(t, 150, n)
	require.Contains(t, d.Press("G").Text(), "Gateway port 149\n", "the next page comes when the selection nears the end")
	require.Contains(t, d.Press("tab").Text(), "No submission was adopted.")
	require.Equal(t, "adopted", src.asked[len(src.asked)-1].State)
}

func TestRefreshKeepsTheSelection(t *testing.T) {
	t.Parallel()
	src := filled(5)
	d := start(t, src, 80, 20).Press("j", "j")
	src.rows = append([]api.Drift{{ID: id(500), Article: api.ArticleRef{Title: "New"}, SubmittedAt: screentest.Now}}, src.rows...)
	require.Contains(t, d.Tell(screen.Resync{}).Text(), "3h  Gateway port 2")
	require.Regexp(t, `> .*Gateway port 2`, d.Text())
}

func TestFailuresAreSaid(t *testing.T) {
	t.Parallel()
	src := filled(2)
	src.err = wiki.Errorf(wiki.CodeUnavailable, "the server does not answer")
	d := start(t, src, 80, 20)
	require.Contains(t, d.Text(), "the server does not answer")
	src.err = nil
	d.Press("ctrl+r")
	src.err = wiki.NotFound()
	require.Contains(t, d.Press("enter").Text(), "The article that stood could not be read.")
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows int
		keys []string
	}{"list": {4, []string{"j"}}, "comparison": {4, []string{"enter"}}, "empty": {}, "none-adopted": {4, []string{"tab"}}} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, filled(c.rows), size[0], size[1]).Press(c.keys...)
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

func TestAdoptsWhatIsSeen(t *testing.T) {
	t.Parallel()
	src := filled(3)
	src.newest = 5
	d := start(t, src, 120, 20)
	require.Equal(t, "compare it (enter) first: what it does is seen before it is done", d.Why("a"))
	d.Press("j", "enter")
	require.Contains(t, d.Text(), "- version 5, as it is now (2 stood then)")
	d.Press("a")
	one, article := id(1), id(1001)
	require.Equal(t, outbox.Act{Kind: outbox.Adopt, Subject: &one, Article: &article, What: "adopt what was submitted for “Gateway port 1”"}, d.Deeds[0].Act)
	require.Nil(t, d.Deeds[0].Ask)
	require.Contains(t, d.Text(), "Gateway port 2\n", "the next one is compared at once")
	require.Contains(t, d.Text(), "change 1 of 1")
	n, _ := d.Count()
	require.Equal(t, 2, n)
}

func TestDismissesAfterAsking(t *testing.T) {
	t.Parallel()
	d := start(t, filled(2), 120, 20).Press("d")
	require.Equal(t, outbox.Drop, d.Deeds[0].Act.Kind)
	require.Equal(t, "Dismiss what ana submitted?", d.Deeds[0].Ask.Title)
	require.NotContains(t, d.Text(), "Gateway port 0")
	require.Contains(t, d.Tell(screen.Ended{Act: d.Deeds[0].Act, Err: wiki.Errorf(wiki.CodeTransition, "it is adopted already")}).Text(), "Gateway port 0")
	d.Press("j", "enter", "d")
	require.Contains(t, d.Text(), "Gateway port 0", "the one that is left is compared")
	d.Press("d")
	require.Contains(t, d.Text(), "Nothing has drifted.")
}

func TestWhatIsClosedOrNoTextIsNotAdopted(t *testing.T) {
	t.Parallel()
	src := filled(2)
	src.rows[0].Body = nil
	src.rows[1].State = "dismissed"
	d := start(t, src, 120, 20).Press("enter")
	require.Equal(t, "what was submitted was no text: there is nothing to adopt", d.Why("a"))
	d.Press("esc", "j", "enter")
	require.Equal(t, "this submission is dismissed already", d.Why("a"))
	require.Equal(t, "this submission is dismissed already", d.Why("d"))
	require.Contains(t, d.Text(), "- version 2, which stood ")
}

func TestHostileSubmission(t *testing.T) {
	t.Parallel()
	src := filled(1)
	const evil = screentest.Evil
	src.stood = evil
	src.rows[0].Title, src.rows[0].Body, src.rows[0].SubmittedBy, src.rows[0].State = evil, ptr(evil+"x"), evil, evil
	src.rows[0].Article.Title = evil
	d := start(t, src, 80, 20)
	d.RequireInert()
	d.Press("enter").RequireInert()
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, drift.New(env, filled(4)), 120, 12).Press("enter")
	})
}
