package suppressed_test

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
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
	"wiki/tui/suppressed"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

type source struct {
	rows     []api.Article
	err      error
	searched []api.SearchQuery
}

func (s *source) Articles(_ context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error) {
	if q.Suppressed == nil || !*q.Suppressed {
		return nil, api.Meta{}, s.err
	}
	total := len(s.rows)
	return s.rows, api.Meta{TotalCount: &total}, s.err
}

func (s *source) Search(_ context.Context, q api.SearchQuery) ([]api.Hit, api.Meta, error) {
	s.searched = append(s.searched, q)
	return []api.Hit{{Title: "Ports of all gateways"}, {Title: "How gateways are restarted"}}, api.Meta{}, s.err
}

func filled(n int) *source {
	s := &source{}
	for i := range n {
		at := screentest.Now.Add(-time.Duration(i+1) * 30 * time.Hour)
		s.rows = append(s.rows, api.Article{
			ID: id(i), Title: fmt.Sprintf("Port of gateway %d", i), Category: "reference", Status: "published", Version: 2, CreatedBy: "importer",
			SuppressedAt: &at, SuppressedBy: "ana", SuppressionReason: "It names the port of the old gateway, and three agents have acted on it since.",
		})
	}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	return screentest.Start(t, suppressed.New(screentest.Env(), src), width, height)
}

func TestLiftsAndGoesOn(t *testing.T) {
	t.Parallel()
	src := filled(3)
	d := start(t, src, 100, 20).Press("j", "l")
	require.Equal(t, outbox.Lift, d.Deeds[0].Act.Kind)
	require.Equal(t, id(1), *d.Deeds[0].Act.Subject)
	require.Equal(t, src.rows[1].SuppressionReason, d.Deeds[0].Act.Reason, "undo hides it for the same reason")
	require.Nil(t, d.Deeds[0].Ask)
	require.Regexp(t, `> .*Port of gateway 2`, d.Text())
	require.NotContains(t, d.Text(), "gateway 1")
	n, _ := d.Count()
	require.Equal(t, 2, n)
	d.Tell(screen.Given{Act: outbox.Act{Kind: outbox.Suppress, Subject: d.Deeds[0].Act.Subject, Back: true}})
	require.NotContains(t, d.Tell(screen.Ended{Act: d.Deeds[0].Act}).Text(), "gateway 1", "an act on it is still on its way")
	require.Contains(t, d.Tell(screen.Ended{Act: outbox.Act{Kind: outbox.Suppress, Subject: d.Deeds[0].Act.Subject}}).Text(), "gateway 1")
}

func TestPreviewsWhatAnswersInItsPlace(t *testing.T) {
	t.Parallel()
	src := filled(3)
	d := start(t, src, 80, 20).Press("enter")
	require.Equal(t, api.SearchQuery{Query: "Port of gateway 0", Limit: 10}, src.searched[0])
	require.Contains(t, d.Text(), "1. Ports of all gateways")
	require.Contains(t, d.Text(), "three agents have acted on it\nsince.")
	d.Press("j")
	require.Contains(t, d.Text(), "Port of gateway 1")
	d.Press("l")
	require.Contains(t, d.Text(), "Port of gateway 2", "the next one is shown when it is lifted")
	d.Press("l")
	require.Contains(t, d.Text(), "Port of gateway 0")
	d.Press("l")
	require.Contains(t, d.Text(), "Nothing is hidden.")
	require.Equal(t, "the list is empty", d.Why("l"))
}

func TestReadsTheArticle(t *testing.T) {
	t.Parallel()
	d := start(t, filled(2), 80, 20).Press("j", "o")
	require.Equal(t, []tea.Msg{screen.ReadArticle{ID: id(1).String()}}, d.Sent)
}

func TestFailuresAreSaid(t *testing.T) {
	t.Parallel()
	src := filled(2)
	src.err = wiki.Errorf(wiki.CodeUnavailable, "the server does not answer")
	d := start(t, src, 80, 20)
	require.Contains(t, d.Text(), "the server does not answer")
	src.err = nil
	d.Press("ctrl+r")
	src.err = wiki.Errorf(wiki.CodeTimeout, "it took too long")
	require.Contains(t, d.Press("enter").Text(), "it took too long")
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rows int
		keys []string
	}{"list": {4, []string{"j"}}, "preview": {4, []string{"enter"}}, "empty": {}} {
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

func TestHostileSuppression(t *testing.T) {
	t.Parallel()
	src := filled(1)
	const evil = screentest.Evil
	a := &src.rows[0]
	a.Title, a.SuppressedBy, a.SuppressionReason, a.Status, a.CreatedBy, a.Category = evil, evil, evil, evil, evil, evil
	d := start(t, src, 80, 20)
	d.RequireInert()
	d.Press("enter").RequireInert()
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, suppressed.New(env, filled(4)), 80, 12).Press("j", "enter")
	})
}
