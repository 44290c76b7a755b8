// Package pair shows the two articles of a conflict beside each other, what differs between them, why they are a pair, and
// what each verdict would do.
package pair

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/diffview"
	"wiki/tui/field"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Pair(ctx context.Context, id string) (api.Pair, error)
	Claim(ctx context.Context, id string) (api.Claim, error)
	Release(ctx context.Context, id string) error
}

// Screen is the pair on screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source
	find   func(id string) (api.Conflict, bool) // a pair as the queue has it
	role   string                               // of the key: what a verdict does depends on it
	keys   Keys

	id     string // the pair shown, "" for none
	shown  bool   // this screen is the one on the terminal
	cache  cache
	claims claims
	notes  map[string]string // by pair: kept until the verdict is given
	// reopened are pairs whose verdict is being taken back: open for the curator, whatever the server still says. The value
	// is the epoch from which its word counts again; untilDelivered as long as the act is under way.
	reopened map[string]int

	texts diffview.View
	right bool // the marked side

	why    bool
	whyTop int
	field  *field.Field // not nil while a note is written

	width, height int
}

// New makes the screen. find gives what the queue knows of a pair before its texts arrive.
func New(env *screen.Env, source Source, find func(id string) (api.Conflict, bool)) *Screen {
	return &Screen{env: env, source: source, find: find, notes: map[string]string{}, reopened: map[string]int{}, cache: newCache()}
}

// SetRole says what the key may do.
func (s *Screen) SetRole(role string) { s.role = role }

// ID gives the pair shown, "" for none.
func (s *Screen) ID() string { return s.id }

// Show shows a pair: painted at once when it was read ahead, with the claim under way.
func (s *Screen) Show(id string) tea.Cmd {
	if id == s.id {
		return s.need(id)
	}
	left := s.release()
	s.id, s.why, s.whyTop, s.field = id, false, 0, nil
	s.lay(true)
	return tea.Batch(left, s.need(id), s.claim())
}

// Clear shows no pair.
func (s *Screen) Clear() tea.Cmd {
	left := s.release()
	s.id = ""
	return left
}

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context {
	switch {
	case s.field != nil:
		return []action.Context{action.Field}
	case s.why:
		return []action.Context{action.Why}
	}
	return []action.Context{action.Pair}
}

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	st.Pair = s.id != ""
	c, known := s.Conflict()
	st.Open = known && c.State == "open"
	st.HeldBy = s.heldBy(c)
	e := s.cache.get(s.id)
	st.Loading = st.Pair && e == nil
	switch err := s.cache.failure(s.id); {
	case e != nil: // texts that were fetched can be judged, also when reading them again failed: the server checks their versions
		st.Changes = s.texts.Changes()
	case err != nil:
		st.Loading, st.Failed = false, conflicts.Explain(err)
	}
	st.Note = s.notes[s.id] != ""
}

// Conflict gives the newest that is known of the pair shown: its state as the queue has it, its sides as they are on screen.
func (s *Screen) Conflict() (api.Conflict, bool) {
	e := s.cache.get(s.id)
	c, known := s.find(s.id)
	if e == nil {
		return c, known
	}
	if !known {
		c = e.pair.Conflict
	}
	if _, back := s.reopened[s.id]; back {
		c.State, c.Verdict = "open", nil
	}
	c.First, c.Second = e.pair.Conflict.First, e.pair.Conflict.Second // of the texts on screen
	c.First.Version, c.Second.Version = e.pair.First.Version, e.pair.Second.Version
	return c, true
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd {
	s.shown = true
	if s.id == "" {
		return nil
	}
	return tea.Batch(s.need(s.id), s.claim())
}

// Left implements screen.Screen: the claim is given back; the text being written is kept.
func (s *Screen) Left() tea.Cmd {
	s.closeField()
	s.shown, s.why = false, false
	return s.release()
}

// Back implements screen.Screen.
func (s *Screen) Back() (tea.Cmd, bool) { return nil, false }

// Do implements screen.Screen. Verdicts are the root's.
func (s *Screen) Do(id action.ID) tea.Cmd {
	switch id {
	case action.Note:
		s.field = &field.Field{Lines: true, Max: maxNoteBytes}
		s.field.Set(s.notes[s.id])
	case action.Accept:
		s.closeField()
	case action.Cancel:
		s.closeField()
		s.why = false
	case action.WhyPair:
		s.why, s.whyTop = !s.why, 0
	case action.OtherPane:
		s.right = !s.right
	case action.Layout:
		s.texts.CycleLayout()
	case action.ChangesOnly:
		s.texts.ToggleOnlyChanges()
	case action.Whitespace:
		s.texts.ToggleIgnoreSpace()
	case action.Copy:
		return s.copyMarked()
	default:
		s.scroll(id)
	}
	return nil
}

const maxNoteBytes = 4000

// closeField keeps what was written.
func (s *Screen) closeField() {
	if s.field != nil {
		s.notes[s.id] = s.field.Text()
		s.field = nil
	}
}

func (s *Screen) scroll(id action.ID) {
	s.fit()
	if s.why {
		s.scrollWhy(id)
		return
	}
	switch id {
	case action.NextChange:
		s.texts.NextChange()
	case action.PrevChange:
		s.texts.PrevChange()
	case action.Down:
		s.texts.Scroll(1)
	case action.Up:
		s.texts.Scroll(-1)
	case action.PageDown:
		s.texts.ScrollPages(1)
	case action.PageUp:
		s.texts.ScrollPages(-1)
	case action.Top:
		s.texts.ToTop()
	case action.Bottom:
		s.texts.ToBottom()
	}
}

func (s *Screen) scrollWhy(id action.ID) {
	by := map[action.ID]int{
		action.Down: 1, action.Up: -1, action.PageDown: s.height, action.PageUp: -s.height, action.Top: -1 << 30, action.Bottom: 1 << 30,
	}[id]
	s.whyTop = max(0, min(s.whyTop+by, len(s.whyLines())-s.height+1))
}

// lay hands the pair's texts to the view. A pair that is opened starts where its texts begin to differ.
func (s *Screen) lay(opened bool) {
	e := s.cache.get(s.id)
	if e == nil {
		s.texts.Set(diffview.Texts{})
		return
	}
	s.fit()
	s.texts.Set(e.texts)
	if opened {
		s.texts.ToFirstChange()
	}
}

// fit gives the texts the room that the head and the verdict bar leave.
func (s *Screen) fit() {
	s.texts.SetTheme(s.env.Theme)
	s.texts.Resize(s.width, s.textHeight())
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

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) {
	s.width, s.height = width, height
	s.fit()
}

// Count implements screen.Screen.
func (s *Screen) Count() (int, bool) { return 0, false }

func (s *Screen) copyMarked() tea.Cmd {
	e := s.cache.get(s.id)
	if e == nil {
		return screen.Notify("the texts have not arrived yet", true)
	}
	a, side := e.pair.First, "left"
	if s.right {
		a, side = e.pair.Second, "right"
	}
	body := ""
	if a.Body != nil {
		body = *a.Body
	}
	return tea.Batch(tea.SetClipboard(a.Title+"\n"+a.ID.String()+"\n\n"+body), screen.Notify("copied the "+side+" article", false))
}
