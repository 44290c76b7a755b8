// Package suppressed is the screen of the articles that are hidden from reading: why, by whom, since when, and what answers in
// their place.
package suppressed

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/outbox"
	"wiki/tui/paging"
	"wiki/tui/screen"
	"wiki/tui/undo"
)

// Source is what the screen asks of the server.
type Source interface {
	Articles(ctx context.Context, q api.ArticleQuery) ([]api.Article, api.Meta, error)
	Search(ctx context.Context, q api.SearchQuery) ([]api.Hit, api.Meta, error)
}

// previewHits is how many answers of a search are previewed.
const previewHits = 10

// Screen is the suppressed screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source
	list   *paging.Pages[api.Article]

	shown   *api.Article // nil: the list is shown
	hits    []api.Hit    // what a search for its title answers without it
	found   bool         // they have arrived
	unfound error        // why not

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	s := &Screen{env: env, source: source}
	s.list = paging.New(env, func(a api.Article) string { return a.ID.String() }, s.read)
	return s
}

func (s *Screen) read(ctx context.Context, cursor string) ([]api.Article, api.Meta, error) {
	hidden := true
	return s.source.Articles(ctx, api.ArticleQuery{Suppressed: &hidden, Limit: paging.Rows, Cursor: cursor})
}

// Previewed is a message: a search for an article's title was answered, or could not be.
type Previewed struct {
	id   uuid.UUID
	hits []api.Hit
	err  error
}

// Failure implements screen.Answer.
func (p Previewed) Failure() error { return p.err }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context { return []action.Context{action.Suppressed} }

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) { _, st.Chosen = s.list.Selected() }

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd { return s.list.Load() }

// Left, Key and Paste implement screen.Screen.
func (s *Screen) Left() tea.Cmd               { return nil }
func (s *Screen) Key(tea.KeyPressMsg) tea.Cmd { return nil }
func (s *Screen) Paste(string)                {}

// Count implements screen.Screen: the hidden articles, less those lifted here.
func (s *Screen) Count() (int, bool) {
	total := s.list.Meta().TotalCount
	if total == nil {
		return 0, false
	}
	return max(0, *total-s.list.Hidden()), true
}

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// Back implements screen.Screen.
func (s *Screen) Back() (tea.Cmd, bool) {
	if s.shown == nil {
		return nil, false
	}
	s.shown = nil
	return nil, true
}

// Deed implements screen.Acting: lifting a suppression asks nothing, since undo puts it back.
func (s *Screen) Deed(id action.ID) *screen.Deed {
	a, ok := s.list.Selected()
	if id != action.SuppressedLift || !ok {
		return nil
	}
	return &screen.Deed{Act: outbox.Act{Kind: outbox.Lift, Subject: &a.ID, What: undo.SayLift(a.Title, a.ID), Reason: a.SuppressionReason}}
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.SuppressedPreview:
		return s.preview()
	case action.SuppressedArticle:
		if a, ok := s.list.Selected(); ok {
			return func() tea.Msg { return screen.ReadArticle{ID: a.ID.String()} }
		}
	case action.Refresh:
		return s.list.Load()
	default:
		before := s.list.At()
		cmd := s.list.Travel(id, s.listHeight())
		if s.shown != nil && s.list.At() != before {
			return tea.Batch(cmd, s.preview())
		}
		return cmd
	}
	return nil
}

// preview shows the selected article's suppression, and asks what a search for its title answers without it.
func (s *Screen) preview() tea.Cmd {
	a, ok := s.list.Selected()
	if !ok {
		s.shown = nil
		return nil
	}
	s.shown, s.hits, s.found, s.unfound = &a, nil, false, nil
	return s.env.Call(func(ctx context.Context) tea.Msg {
		hits, _, err := s.source.Search(ctx, api.SearchQuery{Query: strings.TrimSpace(a.Title), Limit: previewHits})
		return Previewed{id: a.ID, hits: hits, err: err}
	})
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paging.Page[api.Article]:
		s.list.Heard(msg)
	case Previewed:
		if s.shown != nil && s.shown.ID == msg.id {
			s.hits, s.found, s.unfound = msg.hits, true, msg.err
		}
	case screen.Given:
		if marks(msg.Act) {
			s.list.Hide(msg.Act.Subject.String())
			if s.shown != nil && s.shown.ID == *msg.Act.Subject {
				return s.preview() // of the one that took its place
			}
		}
	case screen.Ended:
		if marks(msg.Act) {
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

// marks says whether an act changes what is hidden.
func marks(a outbox.Act) bool {
	return a.Subject != nil && (a.Kind == outbox.Lift || a.Kind == outbox.Suppress)
}
