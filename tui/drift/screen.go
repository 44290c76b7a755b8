// Package drift is the screen of submissions that made no row because an article stood, and said something else than it.
package drift

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/diffview"
	"wiki/tui/paging"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Drift(ctx context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error)
	Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error)
}

var states = []string{"open", "adopted", "dismissed"}

// Screen is the drift screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	list  *paging.Pages[api.Drift]
	state int // index into states

	shown    uuid.UUID // the submission compared; zero for the list
	view     *diffview.View
	unread   error // why it could not be compared
	comparee api.Drift

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	s := &Screen{env: env, source: source}
	s.list = paging.New(env, func(d api.Drift) string { return d.ID.String() }, s.read)
	return s
}

// Compared is a message: a submission was compared with the article that stood, or could not be.
type Compared struct {
	id    uuid.UUID
	texts diffview.Texts
	err   error
}

// Failure implements screen.Answer.
func (c Compared) Failure() error { return c.err }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context { return []action.Context{action.Drift} }

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	_, st.Chosen = s.list.Selected()
	st.Comparing = s.view != nil
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd { return s.list.Load() }

// Left, Key and Paste implement screen.Screen.
func (s *Screen) Left() tea.Cmd               { return nil }
func (s *Screen) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (s *Screen) Paste(string)                {}

// Count implements screen.Screen: the open submissions read so far.
func (s *Screen) Count() (int, bool) { return s.list.Len(), s.list.Loaded() && s.state == 0 }

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.fit()
}

func (s *Screen) fit() {
	if s.view != nil {
		s.view.SetTheme(s.env.Theme)
		s.view.Resize(s.width, max(1, s.height-compareHead))
	}
}

// Back implements screen.Screen.
func (s *Screen) Back() (tea.Cmd, bool) {
	if s.shown == uuid.Nil {
		return nil, false
	}
	s.shown, s.view, s.unread = uuid.Nil, nil, nil
	return nil, true
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.DriftOpen:
		return s.compare()
	case action.DriftArticle:
		if d, ok := s.list.Selected(); ok {
			return func() tea.Msg { return screen.ReadArticle{ID: d.Article.ID.String()} }
		}
	case action.DriftStates:
		s.state = (s.state + 1) % len(states)
		s.Back()
		return s.list.Reset()
	case action.Refresh:
		return s.list.Load()
	case action.DriftNext:
		s.view.NextChange()
	case action.DriftPrev:
		s.view.PrevChange()
	case action.DriftLayout:
		s.view.CycleLayout()
	case action.DriftChanges:
		s.view.ToggleOnlyChanges()
	case action.DriftSpaces:
		s.view.ToggleIgnoreSpace()
	default:
		return s.travel(id)
	}
	return nil
}

func (s *Screen) travel(id action.ID) tea.Cmd {
	switch {
	case s.view != nil:
		s.view.Travel(id)
	case s.shown == uuid.Nil:
		return s.list.Travel(id, s.height-listHead)
	}
	return nil
}

func (s *Screen) read(ctx context.Context, cursor string) ([]api.Drift, api.Meta, error) {
	return s.source.Drift(ctx, api.DriftQuery{State: states[s.state], Limit: paging.Rows, Cursor: cursor})
}

// compare reads the version that stood and compares it with what was submitted.
func (s *Screen) compare() tea.Cmd {
	d, ok := s.list.Selected()
	if !ok || s.shown == d.ID {
		return nil
	}
	s.shown, s.comparee, s.view, s.unread = d.ID, d, nil, nil
	return s.env.Call(func(ctx context.Context) tea.Msg {
		v, err := s.source.Version(ctx, d.Article.ID, d.ArticleVersion)
		if err != nil {
			return Compared{id: d.ID, err: err}
		}
		return Compared{id: d.ID, texts: diffview.Compare(document(v.Title, v.Body), document(d.Title, d.Body))}
	})
}

func document(title string, body *string) string {
	if body == nil {
		return "# " + title + "\n"
	}
	return "# " + title + "\n\n" + *body
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paging.Page[api.Drift]:
		s.list.Heard(msg)
	case Compared:
		if msg.id != s.shown {
			return nil
		}
		if s.unread = msg.err; msg.err == nil {
			s.view = &diffview.View{}
			s.fit()
			s.view.Set(msg.texts)
			s.view.NextChange()
		}
	case screen.Resync:
		return s.list.Resync()
	}
	return nil
}
