// Package audit is the screen of who did what: the log of every act on content, newest first.
package audit

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/google/uuid"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/listing"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error)
}

const (
	pageRows       = 100
	maxFilterBytes = 200
	// Filters is what a filter may say.
	Filters = "by:NAME act:ACT about:ARTICLE-ID"
)

// Screen is the audit screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	list   listing.List[api.AuditEntry]
	query  api.AuditQuery
	filter string // as typed
	next   string

	generation int
	loading    bool
	loaded     bool
	failure    error

	field    *field.Field // not nil while the filter is typed
	fieldErr error

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	id := func(e api.AuditEntry) string { return strconv.FormatInt(e.ID, 10) }
	return &Screen{env: env, source: source, list: listing.New(id)}
}

// Loaded is a message: a page of the log has arrived, or could not be read.
type Loaded struct {
	generation int
	rows       []api.AuditEntry
	next       string
	further    bool
	err        error
}

// Failure implements screen.Answer.
func (l Loaded) Failure() error { return l.err }

// Contexts implements screen.Screen.
func (s *Screen) Contexts() []action.Context {
	if s.field != nil {
		return []action.Context{action.Field}
	}
	return []action.Context{action.Audit}
}

// Facts implements screen.Screen.
func (s *Screen) Facts(st *action.State) {
	e, ok := s.list.Selected()
	st.Chosen, st.About = ok, ok && aboutArticle(e)
}

// aboutArticle says whether an act's subject is an article.
func aboutArticle(e api.AuditEntry) bool {
	return e.Subject != nil && (strings.HasPrefix(e.Act, "article") || strings.HasPrefix(e.Act, "drift"))
}

// Entered implements screen.Screen.
func (s *Screen) Entered() tea.Cmd { return s.load("") }

// Left implements screen.Screen.
func (s *Screen) Left() tea.Cmd { return nil }

// Count implements screen.Screen: the log has no count.
func (s *Screen) Count() (int, bool) { return 0, false }

// SetSize implements screen.Screen.
func (s *Screen) SetSize(width, height int) { s.width, s.height = width, height }

// Key implements screen.Screen.
func (s *Screen) Key(k tea.KeyPressMsg) tea.Cmd {
	if s.field != nil {
		s.field.Key(k.Keystroke(), k.Text)
		s.fieldErr = nil
	}
	return nil
}

// Paste implements screen.Screen.
func (s *Screen) Paste(text string) {
	if s.field != nil {
		s.field.Insert(text)
	}
}

// Back implements screen.Screen: it lifts the filter.
func (s *Screen) Back() (tea.Cmd, bool) {
	if s.filter == "" {
		return nil, false
	}
	return s.setFilter(""), true
}

// Do implements screen.Screen.
func (s *Screen) Do(id action.ID) tea.Cmd {
	e, _ := s.list.Selected()
	switch id {
	case action.AuditFilter:
		s.field, s.fieldErr = &field.Field{Max: maxFilterBytes}, nil
		s.field.Set(s.filter)
	case action.Accept:
		return s.setFilter(s.field.Text())
	case action.Cancel:
		s.field = nil
	case action.AuditArticle:
		return func() tea.Msg { return screen.ReadArticle{ID: e.Subject.String()} }
	case action.AuditMine:
		return s.setFilter("by:" + e.Principal)
	case action.AuditSame:
		return s.setFilter("act:" + e.Act)
	case action.Refresh:
		return s.load("")
	default:
		s.list.Move(listing.Step(id, s.listHeight(), s.list.Len()))
		if s.next != "" && s.list.At() >= s.list.Len()-s.height {
			return s.load(s.next)
		}
	}
	return nil
}

func (s *Screen) setFilter(text string) tea.Cmd {
	q, err := parse(text)
	if err != nil {
		s.fieldErr = err
		return nil
	}
	s.field, s.filter, s.query = nil, strings.TrimSpace(text), q
	s.list.Replace(nil)
	s.loaded, s.next = false, ""
	return s.load("")
}

// parse reads a filter. The error names the word at fault.
func parse(text string) (api.AuditQuery, error) {
	var q api.AuditQuery
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, ":")
		switch {
		case value == "":
			return q, fmt.Errorf("%q is no filter; write %s", word, Filters)
		case name == "by":
			q.Principal = value
		case name == "act":
			q.Act = value
		case name == "about":
			id, err := uuid.Parse(value)
			if err != nil {
				return q, fmt.Errorf("%q is no id of an article", value)
			}
			q.Subject = &id
		default:
			return q, fmt.Errorf("there is no filter %q; write %s", name, Filters)
		}
	}
	return q, nil
}

// load reads the log anew, or the page that a cursor names.
func (s *Screen) load(cursor string) tea.Cmd {
	if cursor != "" && s.loading {
		return nil
	}
	s.generation++
	s.loading = true
	generation, q := s.generation, s.query
	q.Limit, q.Cursor = pageRows, cursor
	return s.env.Call(func(ctx context.Context) tea.Msg {
		rows, meta, err := s.source.Audit(ctx, q)
		return Loaded{generation: generation, rows: rows, next: meta.NextCursor, further: cursor != "", err: err}
	})
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Loaded:
		s.heardLoaded(msg)
	case screen.Resync:
		if s.loaded && !s.loading {
			return s.load("")
		}
	}
	return nil
}

func (s *Screen) heardLoaded(l Loaded) {
	if l.generation != s.generation {
		return
	}
	s.loading, s.failure = false, l.err
	switch {
	case l.err != nil:
		return
	case l.further:
		s.list.Append(l.rows)
	default:
		s.list.Replace(l.rows)
	}
	s.loaded, s.next = true, l.next
}
