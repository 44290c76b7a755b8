package drafts_test

import (
	"context"
	"errors"
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
	"wiki/tui/drafts"
	"wiki/tui/outbox"
	"wiki/tui/screen"
	"wiki/tui/screen/screentest"
)

func id(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n)) }

func ptr[T any](v T) *T { return &v }

// near is the published article that drafts are near to.
var near = id(900)

type source struct {
	rows  []api.Article
	texts map[uuid.UUID]api.ArticleVersion
	err   error
}

func (s *source) Articles(_ context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error) {
	if q.Status != "draft" {
		return nil, api.Meta{}, s.err
	}
	total := len(s.rows)
	return s.rows, api.Meta{TotalCount: &total}, s.err
}

func (s *source) Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error) {
	v, err := s.Version(ctx, id, 0)
	return []api.ArticleVersion{v}, err
}

func (s *source) Version(_ context.Context, id uuid.UUID, _ int) (api.ArticleVersion, error) {
	if v, ok := s.texts[id]; ok {
		return v, s.err
	}
	return api.ArticleVersion{}, wiki.NotFound()
}

// filled has n drafts near to one published article, and after them one that is near to none.
func filled(n int) *source {
	s := &source{texts: map[uuid.UUID]api.ArticleVersion{
		near: {Version: 4, Title: "Gateway port", Status: "published", Body: ptr("The gateway listens on port 8080.\n\nRestart it.\n")},
	}}
	for i := range n + 1 {
		a := api.Article{ID: id(i), Title: fmt.Sprintf("Port of gateway %d", i), Category: "reference", Status: "draft", Version: 1, CreatedBy: "scout", InsertedAt: screentest.Now.Add(-time.Duration(i+1) * time.Hour)}
		if i < n {
			a.Metadata = map[string]any{"proposal_novelty": map[string]any{"neighbour_id": near.String(), "cosine": 0.92}}
		}
		s.rows = append(s.rows, a)
		s.texts[a.ID] = api.ArticleVersion{Version: 1, Title: a.Title, Status: "draft", Body: ptr("The gateway listens on port 8081.\n\nRestart it.\n")}
	}
	return s
}

// start shows the screen; edit is what the curator makes of a text in the editor.
func start(t *testing.T, src *source, width, height int, edit func(string) (string, error)) *screentest.Driver {
	env := screentest.Env()
	env.Edit = func(text string, done func(string, error) tea.Msg) tea.Cmd {
		return func() tea.Msg { return done(edit(text)) }
	}
	return screentest.Start(t, drafts.New(env, src), width, height)
}

func TestPublishesAndDiscardsWhatIsSeen(t *testing.T) {
	t.Parallel()
	d := start(t, filled(2), 120, 20, nil)
	require.Equal(t, "compare it (enter) first: what is decided about is seen before", d.Why("p"))
	d.Press("enter")
	require.Contains(t, d.Text(), "- Gateway port: published v4   + draft v1 by scout 1h ago, 0.080 new")
	require.Contains(t, d.Text(), "port [-8080-].")
	d.Press("p")
	one := id(0)
	require.Equal(t, outbox.Act{Kind: outbox.Publish, Subject: &one, What: "publish “Port of gateway 0”"}, d.Deeds[0].Act)
	require.Contains(t, d.Text(), "Port of gateway 1\n", "the next one is compared at once")
	d.Press("d")
	require.Equal(t, outbox.Discard, d.Deeds[1].Act.Kind)
	require.Contains(t, d.Text(), "no published article is near to it")
	require.Equal(t, "no article near to this draft was found when it was written", d.Why("m"))
	d.Press("d")
	require.Contains(t, d.Text(), "No draft waits.")
	n, _ := d.Count()
	require.Zero(t, n)
	require.Contains(t, d.Tell(screen.Ended{Act: d.Deeds[1].Act, Err: wiki.Errorf(wiki.CodeForbidden, "no")}).Text(), "Port of gateway 1")
}

func TestAnEditBecomesTheDraft(t *testing.T) {
	t.Parallel()
	src := filled(1)
	d := start(t, src, 120, 20, func(text string) (string, error) {
		require.Equal(t, "# Port of gateway 0\n\nThe gateway listens on port 8081.\n\nRestart it.\n", text)
		return strings.ReplaceAll(strings.Replace(text, "Port of gateway 0", "The port", 1), "8081", "9090"), nil
	}).Press("enter", "e")
	title, body := "The port", "The gateway listens on port 9090.\n\nRestart it.\n"
	act := d.Deeds[0].Act
	require.Equal(t, outbox.Edit, act.Kind)
	require.Equal(t, 1, act.Version, "of the version that was edited")
	require.Equal(t, &api.ArticlePatch{Title: &title, Body: &body, Reason: "edited in review"}, act.Patch)
	require.Contains(t, d.Text(), "an edit of yours is not sent")
	src.texts[id(0)] = api.ArticleVersion{Version: 2, Title: title, Body: &body}
	d.Tell(screen.Ended{Act: act})
	require.Contains(t, d.Text(), "port {+9090+}")
	require.Contains(t, d.Text(), "The port\n")
	require.NotContains(t, d.Text(), "not sent")
}

func TestAMergeIsEditedUntilNoMarkIsLeft(t *testing.T) {
	t.Parallel()
	var seen []string
	answers := []func(string) string{
		func(s string) string { return s },
		func(s string) string { return "# Both\n\nPort 8080, in May 8081.\n" },
	}
	d := start(t, filled(1), 120, 20, func(text string) (string, error) {
		seen = append(seen, text)
		return answers[len(seen)-1](text), nil
	}).Press("enter", "m")
	require.Equal(t, "# Port of gateway 0\n\n<<<<<<< published: Gateway port\nThe gateway listens on port 8080.\n\n=======\nThe gateway listens on port 8081.\n\n>>>>>>> draft\nRestart it.\n", seen[0])
	require.Empty(t, d.Deeds)
	require.Contains(t, d.Sent[0].(screen.Note).Text, "marks of the merge are left")
	d.Press("esc", "j", "k", "enter", "e")
	require.Equal(t, seen[0], seen[1], "what was written goes on")
	require.Equal(t, "Port 8080, in May 8081.\n", *d.Deeds[0].Act.Patch.Body)
}

func TestAnEditThatSaysNothingNewIsNotSent(t *testing.T) {
	t.Parallel()
	for want, edit := range map[string]func(string) (string, error){
		"nothing was changed":         func(s string) (string, error) { return s, nil },
		"the text was empty":          func(string) (string, error) { return "# Port of gateway 0\n \n", nil },
		"exit status 1, so it was no": func(string) (string, error) { return "", errors.New("exit status 1, so it was not done") },
	} {
		d := start(t, filled(1), 120, 20, edit).Press("enter", "e")
		require.Empty(t, d.Deeds)
		require.Contains(t, d.Sent[0].(screen.Note).Text, want)
	}
}

func TestAnEditThatWasRefusedIsKept(t *testing.T) {
	t.Parallel()
	var seen []string
	d := start(t, filled(1), 120, 20, func(text string) (string, error) {
		seen = append(seen, text)
		return text + "More.\n", nil
	}).Press("enter", "e")
	d.Tell(screen.Ended{Act: d.Deeds[0].Act, Err: wiki.Errorf(wiki.CodeVersionMismatch, "it changed")})
	d.Press("e")
	require.Equal(t, seen[0]+"More.\n", seen[1])
}

func TestRefreshKeepsThePlace(t *testing.T) {
	t.Parallel()
	src := filled(1)
	long := strings.Repeat("One line of it.\n\n", 60)
	src.texts[id(0)] = api.ArticleVersion{Version: 1, Title: "Port of gateway 0", Body: &long}
	d := start(t, src, 120, 20, nil).Press("enter", "G")
	before := d.Text()
	require.Equal(t, before, d.Tell(screen.Resync{}).Text())
}

func TestFailuresAreSaid(t *testing.T) {
	t.Parallel()
	src := filled(1)
	src.err = wiki.Errorf(wiki.CodeForbidden, "drafts need a key of role orchestrator")
	d := start(t, src, 80, 20, nil)
	require.Contains(t, d.Text(), "drafts need a key of role orchestrator")
	src.err = nil
	d.Press("ctrl+r")
	delete(src.texts, near)
	d.Press("enter")
	require.Contains(t, d.Text(), "the article that it was near to is gone")
	require.NotEmpty(t, d.Why("m"))
	src.err = wiki.Errorf(wiki.CodeTimeout, "it took too long")
	require.Contains(t, d.Press("ctrl+r").Text(), "it took too long")
	d.Press("esc", "o", "O")
	require.Equal(t, []tea.Msg{screen.ReadArticle{ID: id(0).String()}, screen.ReadArticle{ID: near.String()}}, d.Sent)
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  *source
		keys []string
	}{"list": {filled(3), []string{"j"}}, "comparison": {filled(3), []string{"enter"}}, "empty": {src: &source{}}} {
		for _, size := range screentest.Sizes {
			t.Run(fmt.Sprintf("%s_%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				d := start(t, c.src, size[0], size[1], nil).Press(c.keys...)
				d.RequireFits(size[0], size[1])
				golden.RequireEqual(t, d.Text())
			})
		}
	}
}

func TestHostileDraft(t *testing.T) {
	t.Parallel()
	src := filled(1)
	const evil = screentest.Evil
	src.rows[0].Title, src.rows[0].CreatedBy, src.rows[0].Category = evil, evil, evil
	for id, v := range src.texts {
		v.Title, v.Status, v.Body = evil, evil, ptr(evil)
		src.texts[id] = v
	}
	d := start(t, src, 80, 20, nil)
	d.RequireInert()
	d.Press("enter").RequireInert()
}

func TestStyledScreens(t *testing.T) {
	t.Parallel()
	screentest.RequireStyled(t, func(t *testing.T, env *screen.Env) *screentest.Driver {
		return screentest.Start(t, drafts.New(env, filled(3)), 80, 12).Press("j")
	})
}
