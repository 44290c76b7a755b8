package search_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
	"wiki/tui/search"
)

var now = screentest.Now

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

func ptr[T any](v T) *T { return &v }

// source is a server in memory.
type source struct {
	hits     []api.Hit
	meta     api.Meta
	articles map[uuid.UUID]api.Article
	versions map[int]api.ArticleVersion
	err      error
	asked    []string
}

func (s *source) Hybrid(_ context.Context, h api.HybridRequest) ([]api.Hit, api.Meta, error) {
	s.asked = append(s.asked, "hybrid "+h.Query)
	return s.hits, s.meta, s.err
}

func (s *source) Search(_ context.Context, q api.SearchQuery) ([]api.Hit, api.Meta, error) {
	s.asked = append(s.asked, q.Mode+" "+q.Query)
	return s.hits, s.meta, s.err
}

func (s *source) Article(_ context.Context, id uuid.UUID) (api.Article, error) {
	a, ok := s.articles[id]
	if !ok {
		return a, wiki.NotFound()
	}
	return a, s.err
}

func (s *source) Versions(context.Context, uuid.UUID) ([]api.ArticleVersion, error) {
	var out []api.ArticleVersion
	for n := 1; n <= len(s.versions); n++ {
		out = append(out, s.versions[n])
	}
	return out, s.err
}

func (s *source) Version(_ context.Context, _ uuid.UUID, n int) (api.ArticleVersion, error) {
	return s.versions[n], s.err
}

const gatewayBody = `The gateway listens on **port 8081**. Restart it after each change:

` + "```sh\nsystemctl restart gateway\n```" + `

- check the log with ` + "`journalctl -u gateway`" + `
- tell [the team](https://example.com/team)

世界 and e` + "\u0301" + ` and 👩` + "\u200d" + `👩 keep the columns straight.
`

func filled() *source {
	s := &source{articles: map[uuid.UUID]api.Article{}, versions: map[int]api.ArticleVersion{}}
	titles := []string{"Gateway port", "How to restart the gateway after a change of its configuration, at night", "Ports in use", "Why 8080 was given up", "网关端口说明 the gateway in Chinese"}
	for i, title := range titles {
		a := api.Article{
			ID: id(i + 1), Title: title, Body: ptr(gatewayBody), Category: "reference", Status: "published", Version: 3, CreatedBy: "ana",
			Tags: []string{"gateway", "ports"}, ContentChangedAt: now.Add(-72 * time.Hour), InsertedAt: now.Add(-900 * time.Hour),
		}
		s.articles[a.ID] = a
		s.hits = append(s.hits, api.Hit{
			ID: a.ID, Title: title, Category: a.Category, Score: 0.9 - float64(i)/10, Curated: i == 0,
			Snippet: "The gateway listens on **port** 8081. Restart it after each change, and check the log: the old **port** 8080 is closed by the firewall since March.",
			Explain: &api.Explanation{Lanes: map[string]api.LaneScore{"keyword": {Rank: i + 1, Score: 12.5}, "semantic": {Rank: 2, Score: 0.8123}}, Fused: 0.0161, Priors: map[string]float64{"recency": 1.05}},
		})
	}
	first := s.articles[id(1)]
	first.CuratedAt, first.CuratedBy = ptr(now), "ben"
	first.OutgoingLinks = []api.Link{{Relationship: "relates_to", Target: api.ArticleRef{ID: id(2), Title: titles[1]}}}
	first.IncomingLinks = []api.Link{{Relationship: "supersedes", Source: api.ArticleRef{ID: id(4), Title: titles[3]}}}
	s.articles[id(1)] = first
	for n, body := range []string{"The gateway listens on port 8080.\n\nRestart it.\n", "The gateway listens on port 8081.\n\nRestart it.\n", "The gateway listens on port 8081.\n\nRestart it after each change, at night.\n"} {
		s.versions[n+1] = api.ArticleVersion{Version: n + 1, Title: "Gateway port", Body: ptr(body), Category: "reference", Status: "published", ChangedBy: "ben", Reason: "measured", ValidFrom: now.Add(time.Duration(n-3) * 24 * time.Hour)}
	}
	s.meta = api.Meta{Provenance: "curated", Confidence: ptr(0.83), TotalCount: ptr(5), Degraded: ptr(false)}
	return s
}

func start(t *testing.T, src *source, width, height int) *screentest.Driver {
	return screentest.Start(t, search.New(screentest.Env(), src), width, height)
}

func TestSearchAndRead(t *testing.T) {
	t.Parallel()
	src := filled()
	d := start(t, src, 80, 20).Type("gateway port").Press("enter")
	require.Equal(t, []string{"hybrid gateway port"}, src.asked)
	require.Contains(t, d.Text(), "* curated answer, confidence 0.83: a person vouches for the first of 5 results")
	d.Press("j", "enter")
	require.Contains(t, d.Text(), "How to restart the gateway")
	d.Press("esc")
	require.Contains(t, d.Text(), "> How to restart", "the place is kept")
	d.Press("tab")
	require.Equal(t, "keyword gateway port", src.asked[1])
	require.Contains(t, d.Text(), "> * Gateway port", "another search starts at its best answer")
	require.Contains(t, d.Press("j", "ctrl+r").Text(), "> How to restart", "a search repeated does not move the selection")
	_, back := d.Back()
	require.False(t, back)
}

func TestTypingActsOnNothing(t *testing.T) {
	t.Parallel()
	src := filled()
	d := start(t, src, 80, 20).Type("wjq/7")
	d.Paste("pasted\ntext \x1b[31m")
	require.Empty(t, src.asked)
	require.Contains(t, d.Text(), "search wjq/7pasted text [31m▏")
	d.Press("esc")
	require.Empty(t, src.asked)
	require.Equal(t, []action.Context{action.Search}, d.Contexts())
}

func TestDegradedSearchSaysSo(t *testing.T) {
	t.Parallel()
	src := filled()
	src.meta = api.Meta{Provenance: "retrieved", Confidence: ptr(0.12), Degraded: ptr(true), DegradedReason: "the embedding service does not answer", SearchMode: "keyword_only"}
	d := start(t, src, 80, 20).Type("x").Press("enter")
	require.Contains(t, d.Text(), "! degraded: the embedding service does not answer; searched by words only")
	require.Contains(t, d.Text(), "retrieved, confidence 0.12: 5 results, none vouched for by a person")
	src.hits = nil
	require.Contains(t, d.Press("ctrl+r").Text(), "Nothing found, but the search was not whole.")
	src.err = wiki.Errorf(wiki.CodeUnavailable, "the server does not answer")
	require.Contains(t, d.Press("ctrl+r").Text(), "the server does not answer")
}

func TestLateAnswersAreDropped(t *testing.T) {
	t.Parallel()
	src := filled()
	d := start(t, src, 80, 20)
	d.Type("old").Do(action.Accept)
	late := d.Do(action.SearchMode) // asked before the next query
	src.meta.Provenance = "retrieved"
	msg := late()
	src.meta.Provenance = "curated"
	d.Press("/").Type("er").Press("enter")
	d.Tell(msg)
	require.Contains(t, d.Text(), "curated answer")
}

func TestLinksAreFollowedAndGoneBackOn(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 20).Type("x").Press("enter", "enter", "L")
	require.Contains(t, d.Text(), "> -> to   relates_to           How to restart")
	require.Contains(t, d.Text(), "  <- from supersedes           Why 8080 was given up")
	d.Press("j", "enter")
	require.Contains(t, d.Text(), "Why 8080 was given up\n")
	d.Press("esc")
	require.Contains(t, d.Text(), "> <- from supersedes", "back at the link followed")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 120, 20).Type("x").Press("enter", "enter", "v")
	require.Contains(t, d.Text(), "> v3    2026-05-03 10:00  published   by ben measured")
	require.Contains(t, d.Text(), "  v1    2026-05-01 10:00  published   by ana created")
	d.Press("enter")
	require.Contains(t, d.Text(), "version 2 -> 3 · change 1 of 1 · side by side")
	require.Contains(t, d.Text(), "Restart it{+ after each change, at night+}.")
	d.Press("esc", "j", "j", "c")
	require.Contains(t, d.Text(), "version 1 -> 3 · change 1 of 2")
	d.Press("n", "t", "f", "s", "j", "G", "N")
	require.Contains(t, d.Text(), "change 1 of 2 · stacked · only changes · spaces ignored")
	d.Press("esc", "enter")
	require.Contains(t, d.Text(), "version 1, the first")
	d.Press("esc", "esc", "esc")
	require.Contains(t, d.Text(), "curated answer")
}

func TestBanners(t *testing.T) {
	t.Parallel()
	src := filled()
	a := src.articles[id(1)]
	a.SuppressedAt, a.SuppressedBy, a.SuppressionReason, a.Status = ptr(now.Add(-50*time.Hour)), "ana", "wrong since March.", "superseded"
	src.articles[id(1)] = a
	d := start(t, src, 80, 20).Type("x").Press("enter", "enter")
	require.Contains(t, d.Text(), "! suppressed 2d ago by ana: wrong since March.")
	require.Contains(t, d.Text(), `! superseded by "Why 8080 was given up": L opens it`)
	d.Tell(screen.ReadArticle{ID: id(99).String()})
	require.Contains(t, d.Text(), "The article could not be read.")
	require.Contains(t, d.Press("esc").Text(), "! suppressed")
}

func TestCopySaysWhatWasCopied(t *testing.T) {
	t.Parallel()
	d := start(t, filled(), 80, 20).Type("x").Press("enter", "enter", "y")
	require.Equal(t, []tea.Msg{screen.Note{Text: fmt.Sprintf("copied title, id and text (%d bytes)", len(gatewayBody))}}, d.Sent)
}

func TestScrollAndSource(t *testing.T) {
	t.Parallel()
	src := filled()
	a := src.articles[id(1)]
	a.Body = ptr(strings.Repeat("One **line**.\n\n", 100))
	src.articles[id(1)] = a
	d := start(t, src, 80, 20).Type("x").Press("enter", "enter", "G")
	require.Contains(t, d.Text(), "100%")
	require.Contains(t, d.Press("r").Text(), "One **line**.")
	d.Press("r", "pgdown", "pgdown", "g")
	d.SetSize(40, 12)
	require.Contains(t, d.Text(), "One **line**.", "signs without colours")
}

func TestTitleIsNotShownTwice(t *testing.T) {
	t.Parallel()
	src := filled()
	a := src.articles[id(1)]
	a.Body = ptr("# Gateway port\n\nText.\n")
	src.articles[id(1)] = a
	d := start(t, src, 80, 20).Type("x").Press("enter", "enter")
	require.Equal(t, 1, strings.Count(d.Text(), "Gateway port"))
	require.Equal(t, 2, strings.Count(d.Press("r").Text(), "Gateway port"), "the source is whole")
}

// hostile text must not reach the terminal, wherever it comes from.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	const evil = screentest.Evil
	src := filled()
	for i := range src.hits {
		src.hits[i].Title, src.hits[i].Snippet, src.hits[i].Category = evil, evil, evil
		src.hits[i].Explain.Lanes[evil] = api.LaneScore{}
		src.hits[i].Explain.Priors[evil] = 1
	}
	ref := api.ArticleRef{ID: id(1), Title: evil}
	src.articles[id(1)] = api.Article{
		ID: id(1), Title: evil, Body: ptr(evil), Category: evil, Status: "superseded", CreatedBy: evil, CuratedAt: &now, CuratedBy: evil, Tags: []string{evil},
		SuppressedAt: &now, SuppressedBy: evil, SuppressionReason: evil, OutgoingLinks: []api.Link{{Relationship: evil, Target: ref}}, IncomingLinks: []api.Link{{Relationship: "supersedes", Source: ref}},
	}
	for n, v := range src.versions {
		v.Title, v.Body, v.Reason, v.ChangedBy, v.Category, v.Status, v.Tags = evil, ptr(evil+fmt.Sprint(n)), evil, evil, evil, evil, []string{evil}
		src.versions[n] = v
	}
	src.meta.Degraded, src.meta.DegradedReason = ptr(true), evil
	d := start(t, src, 100, 24)
	d.Type("x").Press("enter", "w")
	d.RequireInert()
	for _, k := range []string{"enter", "r", "L", "v", "enter", "t", "esc", "c", "esc"} {
		d.Press(k)
		d.RequireInert()
	}
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"empty": {"esc"}, "results": {}, "explained": {"j", "w"}, "reader": {"enter"}, "links": {"enter", "L"}, "versions": {"enter", "v"}, "changes": {"enter", "v", "j", "j", "c"},
	} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, filled(), size[0], size[1])
				if name != "empty" {
					d.Type("gateway port").Press("enter")
				}
				d.Press(keys...)
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

// A styled screen for each theme.
func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, search.New(env, filled()), 80, 12).Type("gateway").Press("enter")
	})
}

func TestStyledReader(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, search.New(env, filled()), 80, 12).Type("gateway").Press("enter", "enter")
	})
}

// Every size draws without a fault, on every pane.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{}, {"w"}, {"enter"}, {"enter", "L"}, {"enter", "v"}, {"enter", "v", "enter"}} {
		d := start(t, filled(), 80, 24).Type("x").Press("enter").Press(keys...)
		for w := 1; w < 140; w += 7 {
			for h := 1; h < 40; h += 5 {
				d.SetSize(w, h)
				require.Len(t, strings.Split(d.View(), "\n"), h)
			}
		}
	}
}
