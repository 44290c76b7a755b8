package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"wiki/server/api"
	"wiki/tui/action"
	"wiki/tui/screen"
	"wiki/tui/text"
)

// Do is a message: do this action, as its key would. A program without keys sends it.
type Do struct{ ID action.ID }

func (m *Model) do(id action.ID) tea.Cmd {
	i := slices.IndexFunc(m.table.Available(m.contexts()...), func(a action.Action) bool { return a.ID == id })
	if i < 0 {
		m.say(screen.Note{Text: string(id) + " cannot be done here", Bad: true})
		return nil
	}
	if top := m.top(); top != nil {
		return top.do(m, id)
	}
	a, _ := m.table.ByID(id)
	return m.run(a)
}

// Situation is what there is on screen, for a program that has none: for screen readers and scripts.
type Situation struct {
	Screen   string        `json:"screen"`
	Typing   bool          `json:"typing"` // a text is being typed
	Rows     []string      `json:"rows"`   // without styles
	Note     string        `json:"note,omitempty"`
	Link     string        `json:"link"`
	ToSend   int           `json:"to_send"`            // acts that have not reached the server
	Conflict *api.Conflict `json:"conflict,omitempty"` // the selected or shown pair
	Actions  []Offer       `json:"actions"`
	Left     bool          `json:"left,omitempty"` // the workbench is being left
}

// Offer is an action of the place where the curator is.
type Offer struct {
	Name  action.ID `json:"name"`
	Keys  []string  `json:"keys"`
	Label string    `json:"label"`
	Help  string    `json:"help"`
	Why   string    `json:"why_not,omitempty"` // why it cannot be done now
}

// Situation tells where the curator is. It may be asked where Update may be called only.
func (m *Model) Situation() Situation {
	a, _ := m.table.ByID(m.active)
	state, contexts := m.state(), m.contexts()
	s := Situation{
		Screen: a.Label, Link: string(m.link.State()), ToSend: len(m.cfg.Acts.Pending()), Left: m.quitting,
		Typing: slices.Contains(contexts, action.Field), Actions: []Offer{}, Rows: []string{},
	}
	var rows []string
	switch top := m.top(); {
	case m.width == 0:
	case top != nil:
		rows = top.view(m, m.width-2, m.height-2)
	default:
		rows = strings.Split(m.body(), "\n")
	}
	for _, r := range rows {
		if r = strings.TrimRight(ansi.Strip(r), " "); r != "" {
			s.Rows = append(s.Rows, r)
		}
	}
	s.Note = text.InertLine(ansi.Strip(m.noteLine()))
	if m.active == action.ScreenConflicts || m.active == action.ScreenPair {
		if c, ok := m.target(); ok {
			s.Conflict = &c
		}
	}
	for _, a := range m.table.Available(contexts...) {
		s.Actions = append(s.Actions, Offer{Name: a.ID, Keys: a.Keys, Label: a.Label, Help: a.Help, Why: a.Why(state)})
	}
	return s
}
