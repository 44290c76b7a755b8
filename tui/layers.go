package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/listing"
	"wiki/tui/outbox"
	"wiki/tui/text"
	"wiki/tui/when"
)

// layer lies over the screens and takes every key while it is on top.
type layer interface {
	context() action.Context
	do(m *Model, id action.ID) tea.Cmd
	key(m *Model, k tea.KeyPressMsg) tea.Cmd // a key that no action of the context has
	paste(text string)
	view(m *Model, width, height int) []string // styled rows; the first is the title
}

func (m *Model) top() layer {
	if len(m.layers) == 0 {
		return nil
	}
	return m.layers[len(m.layers)-1]
}

func (m *Model) push(l layer) tea.Cmd {
	m.layers = append(m.layers, l)
	return nil
}

// pop closes the top layer. One that opened by itself below it comes up unasked.
func (m *Model) pop() {
	if len(m.layers) > 0 {
		m.layers = m.layers[:len(m.layers)-1]
	}
	if _, unasked := m.top().(*returned); unasked {
		m.calm.begin(m.cfg.Now())
	}
}

// confirm asks before an act that undo cannot cover in full. The default is No.
type confirm struct {
	title string
	lines []string
	verb  string // on the button
	top   int    // first line shown, where there is no room for all
	yes   func(m *Model) tea.Cmd
}

// newExecute asks before the verdicts that wait are applied.
func newExecute(m *Model) *confirm {
	n := when.Count(m.waiting(), "verdict", "verdicts")
	return &confirm{
		title: "Execute " + n + "?",
		lines: []string{
			"Superseded articles leave the search; merges become drafts.",
			"Those of all curators are applied, not only yours.",
			"A supersede can be reverted afterwards, one by one; a draft can be discarded.",
		},
		verb: "Execute " + n,
		yes:  (*Model).execute,
	}
}

// farthest is beyond the end of any dialog, in rows.
const farthest = 1 << 20

// scrolled gives the rows that a dialog shows of its lines, from top on, and says below them when there are more.
func (m *Model) scrolled(lines []string, top *int, room, width int) []string {
	*top = max(0, min(*top, len(lines)-room))
	end := min(len(lines), *top+room)
	rows := slices.Clone(lines[*top:end])
	if down, _ := m.table.ByID(action.Down); end < len(lines) {
		rows[len(rows)-1] = m.env.Theme.Styles.Muted.Render(text.Truncate("… "+down.Key()+" shows more", width))
	}
	return rows
}

func (c *confirm) context() action.Context { return action.Confirm }

func (c *confirm) do(m *Model, id action.ID) tea.Cmd {
	if step := listing.Step(id, m.height/2, farthest); step != 0 {
		c.top = max(0, min(farthest, c.top+step)) // view knows the end
		return nil
	}
	m.pop()
	if id == action.Yes {
		return c.yes(m)
	}
	return nil
}

func (c *confirm) key(*Model, tea.KeyPressMsg) tea.Cmd { return nil }
func (c *confirm) paste(string)                        {}

// view shows the question, what it is about, and the answers; in a low window what it is about can be scrolled.
func (c *confirm) view(m *Model, width, height int) []string {
	st := m.env.Theme.Styles
	var head, lines []string
	for _, row := range text.Wrap(text.InertLine(c.title), width) {
		head = append(head, st.Title.Render(row))
	}
	for _, l := range c.lines {
		lines = append(lines, text.Wrap(text.InertLine(l), width)...)
	}
	no, _ := m.table.ByID(action.No)
	yes, _ := m.table.ByID(action.Yes)
	leave, verb := "[ "+no.Key()+"  No, leave it ]", text.Truncate(text.InertLine(c.verb), width-text.Width(yes.Key())-1)
	answers := []string{st.Selected.Render(leave), st.Key.Render(yes.Key()) + " " + st.Danger.Render(verb)}
	if text.Width(leave)+3+text.Width(yes.Key())+1+text.Width(verb) <= width {
		answers = []string{answers[0] + "   " + answers[1]}
	}
	if len(head)+1+len(lines)+1+len(answers) <= height {
		head, answers = append(head, ""), append([]string{""}, answers...)
	}
	room := max(1, height-len(head)-len(answers))
	c.top = max(0, min(c.top, len(lines)-room))
	rows := head
	for i, l := range lines[c.top:min(len(lines), c.top+room)] {
		if last := i == room-1 && c.top+room < len(lines); last {
			down, _ := m.table.ByID(action.Down)
			l = text.Truncate(l, max(1, width-8)) + " … " + down.Key()
		}
		rows = append(rows, st.Text.Render(text.Truncate(l, width)))
	}
	return append(rows, answers...)
}

// returned tells, by itself, that acts were not done.
type returned struct {
	acts []outbox.Act
	why  []string
	top  int // the first row shown, where there is no room for all
}

func (r *returned) context() action.Context { return action.Returned }

func (r *returned) do(m *Model, id action.ID) tea.Cmd {
	if step := listing.Step(id, m.height/2, farthest); step != 0 {
		r.top = max(0, min(farthest, r.top+step))
		return nil
	}
	m.pop()
	if id != action.Accept {
		return nil
	}
	if r.acts[0].Pair != "" {
		return m.showPair(r.acts[0].Pair)
	}
	if home, ok := m.home(r.acts[0]); ok {
		return m.switchTo(home)
	}
	return nil
}

func (r *returned) key(*Model, tea.KeyPressMsg) tea.Cmd { return nil }
func (r *returned) paste(string)                        {}
