// Package search is the screen on which a curator asks the wiki, sees where each answer comes from and how sure the server
// is of it, and reads articles: their links, versions and what changed between them.
package search

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/listing"
	"wiki/tui/markdown"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Hybrid(ctx context.Context, h api.HybridRequest) ([]api.Hit, api.Meta, error)
	Search(ctx context.Context, q api.SearchQuery) ([]api.Hit, api.Meta, error)
	Article(ctx context.Context, id uuid.UUID) (api.Article, error)
	Versions(ctx context.Context, id uuid.UUID) ([]api.ArticleVersion, error)
	Version(ctx context.Context, id uuid.UUID, n int) (api.ArticleVersion, error)
}

const (
	maxQueryBytes = 500
	wantedHits    = 30
)

// mode is how the wiki is asked.
type mode int

const (
	hybrid  mode = iota // both lanes, with provenance and confidence
	keyword             // words
	semantic
)

var modeNames = [...]string{"words and meaning", "words", "meaning"}

// Screen is the search screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	field   *field.Field // not nil while the query is typed
	query   string
	mode    mode
	entered bool

	generation int // of the query: answers to an older one are dropped
	searching  bool
	answered   bool
	failure    error
	hits       []api.Hit
	meta       api.Meta
	selected   uuid.UUID // by id: a search repeated does not move it
	top        int       // first hit shown
	why        bool      // the explain panel is open

	reader *reader   // nil: the results are shown
	trail  []*reader // articles to go back to
	cache  markdown.Cache
	asked  map[markdown.Key]bool // being rendered

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	return &Screen{env: env, source: source, asked: map[markdown.Key]bool{}}
}

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context {
	switch {
	case s.field != nil:
		return []action.Context{action.Field}
	case s.reader != nil:
		return []action.Context{action.Reader}
	}
	return []action.Context{action.Search}
}

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	st.Results = len(s.hits)
	if r := s.reader; r != nil {
		st.Reading = r.article != nil
		st.Listing = r.rows() > 0
		st.Comparing = r.pane == changesPane && r.view != nil
		if r.pane == versionsPane {
			st.Versions = len(r.versions)
		}
	}
}

// Entered implements screen.Screen: the first time the query can be typed at once.
func (s *Screen) Entered() tea.Cmd {
	if !s.entered && s.reader == nil {
		s.edit()
	}
	s.entered = true
	return nil
}

// Left implements screen.Screen.
func (s *Screen) Left() tea.Cmd { return nil }

// Count implements screen.Screen: there is nothing to count.
func (s *Screen) Count() (int, bool) { return 0, false }

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	if s.reader != nil {
		s.reader.fit(s)
	}
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyPressMsg) tea.Cmd {
	if s.field != nil {
		s.field.Key(k.Keystroke(), k.Text)
	}
	return nil
}

// Paste implements screen.Screen.
func (s *Screen) Paste(text string) {
	if s.field != nil {
		s.field.Insert(text)
	}
}

// Back implements screen.Screen: one step back in the reader, then to the results.
func (s *Screen) Back() (tea.Cmd, bool) {
	r := s.reader
	switch {
	case r == nil && s.why:
		s.why = false
	case r == nil:
		return nil, false
	case r.pane == changesPane:
		r.pane, r.view = versionsPane, nil
	case r.pane != textPane:
		r.pane = textPane
	case len(s.trail) > 0:
		s.reader, s.trail = s.trail[len(s.trail)-1], s.trail[:len(s.trail)-1]
		s.reader.fit(s)
		return s.render(), true
	default:
		s.reader = nil
	}
	return nil, true
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Accept:
		return s.accept()
	case action.Cancel:
		s.field = nil
		return nil
	case action.SearchEdit:
		s.edit()
		return nil
	case action.SearchMode:
		s.mode, s.selected = (s.mode+1)%mode(len(modeNames)), uuid.Nil
		return s.ask()
	case action.SearchWhy:
		s.why = !s.why
		return nil
	case action.Refresh:
		return s.refresh()
	}
	if s.reader != nil {
		return s.readerDo(id)
	}
	return s.resultsDo(id)
}

func (s *Screen) resultsDo(id action.ID) tea.Cmd {
	switch id {
	case action.SearchOpen:
		if at := s.at(); at >= 0 {
			s.trail = nil
			return s.open(s.hits[at].ID, s.hits[at].Title)
		}
	default:
		s.move(listing.Step(id, s.hitsShown(), len(s.hits)))
	}
	return nil
}

// edit starts typing the query, the last one at hand.
func (s *Screen) edit() {
	s.field = &field.Field{Max: maxQueryBytes}
	s.field.Set(s.query)
}

// accept searches for what was typed.
func (s *Screen) accept() tea.Cmd {
	if s.field == nil {
		return nil
	}
	if typed := s.field.Text(); typed != s.query {
		s.query, s.selected = typed, uuid.Nil
	}
	s.field = nil
	return s.ask()
}

// at is the place of the selected hit, -1 for none.
func (s *Screen) at() int {
	for i, h := range s.hits {
		if h.ID == s.selected {
			return i
		}
	}
	return -1
}

func (s *Screen) move(by int) {
	if len(s.hits) == 0 {
		return
	}
	s.selected = s.hits[max(0, min(s.at()+by, len(s.hits)-1))].ID
}
