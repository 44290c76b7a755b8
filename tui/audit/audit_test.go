package audit_test

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
	"wiki/tui/audit"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

type source struct {
	rows  []api.AuditEntry
	err   error
	asked []api.AuditQuery
}

func (s *source) Audit(_ context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error) {
	s.asked = append(s.asked, q)
	if q.Cursor != "" {
		return s.rows[min(100, len(s.rows)):], api.Meta{}, s.err
	}
	if len(s.rows) > 100 {
		return s.rows[:100], api.Meta{NextCursor: "101"}, s.err
	}
	return s.rows, api.Meta{}, s.err
}

func filled(n int) *source {
	s := &source{}
	for i := range n {
		e := api.AuditEntry{
			ID: int64(n - i), Principal: []string{"ana", "ben"}[i%2], Role: "user", Act: "article.suppress", At: screentest.Now.Add(-time.Duration(i) * time.Hour),
			Detail: map[string]any{"title": fmt.Sprintf("Gateway %d", i), "version": 3},
		}
		subject := id(i)
		e.Subject = &subject
		if i%3 == 2 {
			e.Act = "key.create"
		} else {
			e.Title = fmt.Sprintf("Gateway %d", i)
			delete(e.Detail, "title")
		}
		s.rows = append(s.rows, e)
	}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	return screentest.Start(t, audit.New(screentest.Env(), src), width, height)
}

func TestFilters(t *testing.T) {
	t.Parallel()
	src := filled(5)
	d := start(t, src, 80, 20).Press("/").Type("who:ana").Press("enter")
	require.Contains(t, d.Text(), `there is no filter "who"`)
	require.Len(t, src.asked, 1)
	d.Press("esc", "/").Type("by:ana about:" + id(1).String()).Press("enter")
	one := id(1)
	require.Equal(t, api.AuditQuery{Principal: "ana", Subject: &one, Limit: 100}, src.asked[1])
	require.Contains(t, d.Text(), "filter: by:ana about:")
	d.Press("esc")
	require.Equal(t, api.AuditQuery{Limit: 100}, src.asked[2])
	d.Press("j", "b", "esc", "j", "t")
	require.Equal(t, "ben", src.asked[3].Principal)
	require.Equal(t, "key.create", src.asked[5].Act)
	_, back := d.Back()
	require.True(t, back, "the filter is lifted first")
	_, back = d.Back()
	require.False(t, back)
}

func TestOpensTheArticle(t *testing.T) {
	t.Parallel()
	d := start(t, filled(5), 80, 20).Press("j", "enter")
	require.Equal(t, []tea.Msg{screen.ReadArticle{ID: id(1).String()}}, d.Sent)
}

func TestPages(t *testing.T) {
	t.Parallel()
	src := filled(140)
	d := start(t, src, 80, 20).Press("G", "G")
	require.Contains(t, d.Text(), "Gateway 139")
	src.err = wiki.Errorf(wiki.CodeUnavailable, "the server does not answer")
	require.Contains(t, d.Press("ctrl+r").Text(), "the server does not answer")
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]*source{"list": filled(30), "empty": filled(0)} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				own := *src
				d := start(t, &own, size[0], size[1])
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

func TestHostileLog(t *testing.T) {
	t.Parallel()
	src := filled(1)
	const evil = screentest.Evil
	src.rows[0].Principal, src.rows[0].Act, src.rows[0].Role, src.rows[0].Title, src.rows[0].Detail = evil, evil, evil, evil, map[string]any{evil: evil, "x": []string{evil}}
	d := start(t, src, 80, 20)
	d.RequireInert()
	d.Press("b").RequireInert()
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, audit.New(env, filled(8)), 80, 12).Press("j")
	})
}
