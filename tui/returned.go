package tui

import (
	"slices"

	"wiki/tui/action"
	"wiki/tui/conflicts"
	"wiki/tui/outbox"
	"wiki/tui/text"
)

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
	var head, lines []string
	for _, l := range text.Wrap(title, width) {
		head = append(head, st.Danger.Render(l))
	}
	for i, a := range r.acts {
		lines = append(lines, st.Strong.Render(text.Truncate(text.InertLine(a.What), width)))
		for _, l := range text.Wrap(r.why[i], width-2) {
			lines = append(lines, "  "+st.Text.Render(l))
		}
	}
	var gap []string
	if height >= lowBelow {
		gap = []string{""}
	}
	rows := slices.Concat(head, gap)
	rows = append(rows, m.scrolled(lines, &r.top, max(1, height-len(rows)-len(gap)-1), width)...)
	rows = append(rows, gap...)
	enter, _ := m.table.ByID(action.Accept)
	esc, _ := m.table.ByID(action.Cancel)
	foot := st.Key.Render(esc.Key()) + " " + st.KeyLabel.Render("later")
	if _, home := m.home(r.acts[0]); home || r.acts[0].Pair != "" {
		foot = st.Key.Render(enter.Key()) + " " + st.KeyLabel.Render("look at it again") + "   " + foot
	}
	return append(rows, foot)
}
