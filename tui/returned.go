package tui

import (
	"slices"

	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/outbox"
	"wiki/tui/text"
)

// maxReturned is how many acts the dialog lists; it counts the rest.
const maxReturned = 4

// pushReturned adds an act to the dialog of acts that were not done, opening it under whatever the curator is at: a dialog
// that is being used stays on top.
func (m *Model) pushReturned(a outbox.Act, why error) {
	reason := conflicts.Explain(why)
	for _, l := range m.layers {
		if r, open := l.(*returned); open {
			r.acts, r.why = append(r.acts, a), append(r.why, reason)
			return
		}
	}
	r := &returned{acts: []outbox.Act{a}, why: []string{reason}}
	m.layers = append([]layer{r}, m.layers...)
	if len(m.layers) == 1 {
		m.calm.begin(m.cfg.Now())
	}
}

func (r *returned) view(m *Model, width, height int) []string {
	st := m.env.Theme.Styles
	title := "This was not done, and the pair is back in the queue"
	if len(r.acts) > 1 {
		title = "These were not done, and the pairs are back in the queue"
	}
	if slices.ContainsFunc(r.acts, func(a outbox.Act) bool { return a.Kind != outbox.Judge }) {
		title = "This was not done"
		if len(r.acts) > 1 {
			title = "These were not done"
		}
	}
	var rows []string
	for _, l := range text.Wrap(title, width) {
		rows = append(rows, st.Danger.Render(l))
	}
	if height >= lowBelow {
		rows = append(rows, "")
	}
	for i, a := range r.acts[:min(len(r.acts), maxReturned)] {
		rows = append(rows, st.Strong.Render(text.Truncate(text.InertLine(a.What), width)))
		for _, l := range text.Wrap(r.why[i], width-2) {
			rows = append(rows, "  "+st.Text.Render(l))
		}
	}
	if n := len(r.acts) - maxReturned; n > 0 {
		rows = append(rows, st.Muted.Render("and "+more(n)))
	}
	if height >= lowBelow {
		rows = append(rows, "")
	} else if len(rows) > height-1 {
		rows = rows[:max(1, height-1)]
	}
	enter, _ := m.table.ByID(action.Accept)
	esc, _ := m.table.ByID(action.Cancel)
	foot := st.Key.Render(esc.Key()) + " " + st.KeyLabel.Render("later")
	if _, home := m.home(r.acts[0]); home || r.acts[0].Pair != "" {
		foot = st.Key.Render(enter.Key()) + " " + st.KeyLabel.Render("look at it again") + "   " + foot
	}
	return append(rows, foot)
}
