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
	"wiki/tui/paging"
	"wiki/tui/screen"
)

// Source is what the screen asks of the server.
type Source interface {
	Audit(ctx context.Context, q api.AuditQuery) ([]api.AuditEntry, api.Meta, error)
}

const (
	maxFilterBytes = 200
	// Filters is what a filter may say.
	Filters = "by:NAME act:ACT about:ARTICLE-ID"
)

// Screen is the audit screen. Make one with New.
type Screen struct {
	env    *screen.Env
	source Source

	list   *paging.Pages[api.AuditEntry]
	query  api.AuditQuery
	filter string // as typed

	field    *field.Field // not nil while the filter is typed
	fieldErr error

	width, height int
}

// New makes the screen.
func New(env *screen.Env, source Source) *Screen {
	s := &Screen{env: env, source: source}
	s.list = paging.New(env, func(e api.AuditEntry) string { return strconv.FormatInt(e.ID, 10) }, s.read)
	return s
}

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
func (s *Screen) Entered() tea.Cmd { return s.list.Load() }

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
		return s.list.Load()
	default:
		return s.list.Travel(id, s.listHeight())
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
	return s.list.Reset()
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

func (s *Screen) read(ctx context.Context, cursor string) ([]api.AuditEntry, api.Meta, error) {
	q := s.query
	q.Limit, q.Cursor = paging.Rows, cursor
	return s.source.Audit(ctx, q)
}

// Heard implements screen.Screen.
func (s *Screen) Heard(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case paging.Page[api.AuditEntry]:
		s.list.Heard(msg)
	case screen.Resync:
		return s.list.Resync()
	}
	return nil
}
