// Package drift is the screen of submissions that made no row because an article stood, and said something else than it.
package drift

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/diffview"
	"wiki/tui/outbox"
	"wiki/tui/paging"
	"wiki/tui/screen"
	"wiki/tui/text"
	"wiki/tui/undo"
)

// Source is what the screen asks of the server.
type Source interface {
	Drift(ctx context.Context, q api.DriftQuery) ([]api.Drift, api.Meta, error)
	Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error)
	Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error)
}

// open is the state of a submission about which nothing was decided.
const open = "open"

var states = []string{open, "adopted", "dismissed"}

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
	against  int // the version that it is compared with; 0 until that is known

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
	id      uuid.UUID
	version int
	texts   diffview.Texts
	err     error
}

// Failure implements screen.Answer.
func (c Compared) Failure() error { return c.err }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context { return []action.Context{action.Drift} }

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	var d api.Drift
	d, st.Chosen = s.list.Selected()
	if s.shown != uuid.Nil {
		d, st.Chosen = s.comparee, true
	}
	st.Comparing = s.view != nil
	if st.Chosen && d.State != open {
		st.Closed = "this submission is " + d.State + " already"
	}
	if d.ContentDrift && d.Body == nil {
		st.NoText = "what was submitted was no text: there is nothing to adopt"
	}
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd { return s.list.Load() }

// Left, Key and Paste implement screen.Screen.
func (s *Screen) Left() tea.Cmd               { return nil }
func (s *Screen) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (s *Screen) Paste(string)                {}

// Count implements screen.Screen: the open submissions, less those decided here.
func (s *Screen) Count() (int, bool) {
	n, known := s.list.Meta().Counts[open]
	return max(0, n-s.list.Hidden()), known
}

// Deed implements screen.Acting: adopting asks nothing, since undo restores the version before it.
func (s *Screen) Deed(id action.ID) *screen.Deed {
	d, ok := s.list.Selected()
	if s.shown != uuid.Nil {
		d, ok = s.comparee, true
	}
	if !ok {
		return nil
	}
	switch id {
	case action.DriftAdopt:
		return &screen.Deed{Act: outbox.Act{Kind: outbox.Adopt, Subject: &d.ID, Article: &d.Article.ID, What: undo.SayAdopt(d.Article.Title, d.Article.ID)}}
	case action.DriftDrop:
		title := text.InertLine(d.Article.Title)
		return &screen.Deed{
			Act: outbox.Act{Kind: outbox.Drop, Subject: &d.ID, What: "dismiss what was submitted for “" + title + "”"},
			Ask: &screen.Question{
				Title: "Dismiss what " + text.InertLine(d.SubmittedBy) + " submitted?",
				Lines: []string{"“" + title + "” stays as it is. What was submitted is kept among the dismissed, and can be read there, but not adopted any more."},
				Verb:  "Dismiss it",
			},
		}
	}
	return nil
}

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
	s.shown, s.comparee, s.view, s.unread, s.against = d.ID, d, nil, nil, 0
	return s.env.Call(func(ctx context.Context) tea.Msg {
		n, err := s.standing(ctx, d)
		if err != nil {
			return Compared{id: d.ID, err: err}
		}
		v, err := s.source.Version(ctx, d.Article.ID, n)
		if err != nil {
			return Compared{id: d.ID, err: err}
		}
		return Compared{id: d.ID, version: n, texts: diffview.Compare(document(v.Title, v.Body), document(d.Title, d.Body))}
	})
}

// standing gives the version to compare a submission with: what stands now while it is open, since adopting would replace
// that; what stood when it came once it is closed.
func (s *Screen) standing(ctx context.Context, d api.Drift) (int, error) {
	if d.State != open {
		return d.ArticleVersion, nil
	}
	versions, err := s.source.Versions(ctx, d.Article.ID)
	if err != nil || len(versions) == 0 {
		return d.ArticleVersion, err
	}
	return versions[0].Version, nil
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
			s.view, s.against = &diffview.View{}, msg.version
			s.fit()
			s.view.Set(msg.texts)
			s.view.NextChange()
		}
	case screen.Given:
		return s.given(msg.Act)
	case screen.Ended:
		if settles(msg.Act) {
			return s.list.Unhide(msg.Act.Subject.String())
		}
	case screen.Resync:
		if !s.list.Loaded() {
			return s.list.Load() // for the count in the tab
		}
		return s.list.Resync()
	}
	return nil
}

// settles says whether an act closes a submission.
func settles(a outbox.Act) bool {
	return a.Subject != nil && (a.Kind == outbox.Adopt || a.Kind == outbox.Drop)
}

// given takes a submission out of the list when it is decided; when it was being compared, the next one is.
func (s *Screen) given(a outbox.Act) tea.Cmd {
	if !settles(a) {
		return nil
	}
	s.list.Hide(a.Subject.String())
	if s.shown != *a.Subject {
		return nil
	}
	s.Back()
	return s.compare()
}
