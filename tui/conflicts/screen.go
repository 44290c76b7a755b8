// Package conflicts is the queue on screen: the pairs that may contradict or repeat each other, in an order, behind a
// filter, with how far along they are.
package conflicts

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/queue"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Conflicts(ctx context.Context, q api.ConflictQuery) ([]api.Conflict, api.Meta, error)
	ConflictViews(ctx context.Context) ([]api.ConflictView, error)
	SaveConflictView(ctx context.Context, v api.NewConflictView) (api.ConflictView, error)
	DeleteConflictView(ctx context.Context, name string) error
}

var (
	states = []string{"open", "judged", "settled"}
	sorts  = []string{"impact", "newest", "oldest"}
)

// Screen is the queue. Make one with New.
type Screen struct {
	// Queue is shared with the root, which marks what was judged, and walks on.
	Queue queue.Queue

	env    *screen.Env
	source Source
	query  api.ConflictQuery
	filter string // as typed
	counts map[string]int

	generation int  // of the query: answers to an older one are dropped
	loading    bool // the first page or a refresh is under way
	again      bool // another refresh was asked for meanwhile
	more       bool // the next page is under way
	loaded     bool // something has arrived
	failure    error
	browsing   bool // the curator looks at rows although nothing is left to do

	anchor     string // where the range that is being marked begins, by id; "" = none is
	markingAll bool   // the rest of the rows is read so that all can be marked

	views *views // not nil while the saved views are listed
	view  string // the name of the one that is shown

	field    *field.Field // not nil while the filter is typed
	fieldErr error
	top      int // first row shown
	width    int
	height   int
}

// New makes the screen; Load fills it.
func New(env *screen.Env, source Source) *Screen {
	return &Screen{env: env, source: source, query: api.ConflictQuery{State: states[0], Sort: sorts[0]}}
}

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context {
	switch {
	case s.field != nil || s.views != nil && s.views.name != nil:
		return []action.Context{action.Field}
	case s.views != nil:
		return []action.Context{action.Views}
	}
	return []action.Context{action.Conflicts}
}

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	if s.views != nil {
		_, st.Chosen = s.views.list.Selected()
		st.SetUnread = !s.views.loaded
	}
	st.Rows = s.Queue.Len()
	c, selected := s.Queue.Selected()
	st.Selected = selected
	st.Open = selected && c.State == "open" && s.Queue.MarkOf(c.ID, s.env.Now()) != queue.Judged
	if selected {
		st.HeldBy = HeldBy(c, s.env)
	}
	st.Listed, st.Marked = s.query.State, s.Queue.Choices()
	st.Skipped = s.Queue.Progress(s.env.Now()).Skipped
	if s.ended() { // no row is on screen: nothing may be done with one
		st.Rows, st.Selected, st.Open, st.Marked = 0, false, false, 0
	}
}

// HeldBy says which other curator holds a pair, "" when nobody does.
func HeldBy(c api.Conflict, env *screen.Env) string {
	if c.Claim == nil || c.Claim.Mine || !c.Claim.ExpiresAt.After(env.Now()) {
		return ""
	}
	return c.Claim.By
}

// Entered implements screen.Screen: the queue has nothing to do then.
func (s *Screen) Entered() tea.Cmd { return nil }

// Left implements screen.Screen.
func (s *Screen) Left() tea.Cmd { return nil }

// Back implements screen.Screen: it ends a range, else it lifts the filter.
func (s *Screen) Back() (tea.Cmd, bool) {
	switch {
	case s.anchor != "":
		s.anchor = ""
		return nil, true
	case s.filter == "":
		return nil, false
	}
	return s.setFilter(""), true
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	if s.views != nil {
		return s.doViews(id)
	}
	switch id {
	case action.Down:
		return s.move(1)
	case action.Up:
		return s.move(-1)
	case action.PageDown:
		return s.move(s.listHeight())
	case action.PageUp:
		return s.move(-s.listHeight())
	case action.Top:
		return s.move(-s.Queue.Len())
	case action.Bottom:
		return s.move(s.Queue.Len())
	case action.Sort:
		s.query.Sort, s.view = after(sorts, s.query.Sort), ""
		return s.reset()
	case action.States:
		s.query.State, s.view = after(states, s.query.State), ""
		return s.reset()
	case action.Filter:
		s.field, s.fieldErr = &field.Field{Max: maxFilterBytes}, nil
		s.field.Set(s.filter)
	case action.Accept:
		return s.setFilter(s.field.Text())
	case action.Cancel:
		s.field = nil
	case action.Open:
		return s.openSelected()
	case action.ViewsOpen:
		return s.openViews()
	case action.MarkPair:
		return s.markOne()
	case action.MarkRange:
		s.markRange()
	case action.MarkAll:
		return s.markAll()
	case action.MarkNone:
		s.anchor = ""
		s.Queue.ChooseNone()
	}
	return nil
}

const maxFilterBytes = 200

func after(list []string, s string) string {
	for i, x := range list {
		if x == s {
			return list[(i+1)%len(list)]
		}
	}
	return list[0]
}

func (s *Screen) move(by int) tea.Cmd {
	s.browsing = true
	s.Queue.Move(by)
	return s.fetchMore()
}

// openSelected shows the selected pair; on the end-of-queue screen it brings the skipped pairs back first.
func (s *Screen) openSelected() tea.Cmd {
	if s.ended() {
		s.unskip()
		s.browsing = true
	}
	c, ok := s.Queue.Selected()
	if !ok {
		return nil
	}
	return func() tea.Msg { return screen.ShowPair{ID: c.ID} }
}

// unskip gives all skipped pairs back and selects the first of them.
func (s *Screen) unskip() {
	now, first := s.env.Now(), ""
	for i := range s.Queue.Len() {
		if id := s.Queue.Row(i).ID; s.Queue.MarkOf(id, now) == queue.Skipped {
			s.Queue.Return(id)
			if first == "" {
				first = id
			}
		}
	}
	s.Queue.Select(first)
}

// Acted tells the screen that something was done with a pair: the end-of-queue screen may show.
func (s *Screen) Acted() { s.browsing = false }

// ended says whether the open queue has nothing left to do.
func (s *Screen) ended() bool {
	if s.query.State != states[0] || s.filter != "" || !s.loaded || s.browsing || s.failure != nil || s.Queue.Next() != "" {
		return false
	}
	return len(s.Queue.Ahead("", 1, s.env.Now())) == 0
}

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyPressMsg) tea.Cmd {
	switch {
	case s.field != nil:
		s.field.Key(k.Keystroke(), k.Text)
		s.fieldErr = nil
	case s.views != nil && s.views.name != nil:
		s.views.name.Key(k.Keystroke(), k.Text)
		s.views.failure = nil
	}
	return nil
}

// Paste implements screen.Screen.
func (s *Screen) Paste(text string) {
	switch {
	case s.field != nil:
		s.field.Insert(text)
	case s.views != nil && s.views.name != nil:
		s.views.name.Insert(text)
	}
}

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// Count implements screen.Screen: the pairs left to judge.
func (s *Screen) Count() (int, bool) { return s.Queue.Progress(s.env.Now()).Left, s.loaded }
