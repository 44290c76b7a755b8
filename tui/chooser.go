package tui

import (
	tea "charm.land/bubbletea/v2"

	"wiki/tui/action"
	"wiki/tui/field"
	"wiki/tui/text"
)

// chooser lists actions, narrows them by what is typed, and runs one: the help is a long form of the palette.
type chooser struct {
	title  string
	help   bool
	all    []action.Action
	typed  field.Field
	marked int
}

func newHelp(m *Model) *chooser {
	return &chooser{title: "Help: " + action.Title(m.contexts()[0]), help: true, all: m.table.Available(m.contexts()...)}
}

func newPalette(m *Model) *chooser {
	return &chooser{title: "Palette", all: m.table.Available(m.contexts()...)}
}

func (c *chooser) context() action.Context { return action.Help }

func (c *chooser) found() []action.Action { return action.Find(c.all, c.typed.Text()) }

func (c *chooser) do(m *Model, id action.ID) tea.Cmd {
	m.pop()
	found := c.found()
	if id != action.Accept || len(found) == 0 {
		return nil
	}
	return m.run(found[min(c.marked, len(found)-1)])
}

// key moves the mark or types. Arrows and their emacs twins move, because letters are text here.
func (c *chooser) key(_ *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "down", "ctrl+n", "tab":
		c.marked = min(c.marked+1, max(0, len(c.found())-1))
	case "up", "ctrl+p", "shift+tab":
		c.marked = max(0, c.marked-1)
	case "pgdown":
		c.marked = min(c.marked+pageOfActions, max(0, len(c.found())-1))
	case "pgup":
		c.marked = max(0, c.marked-pageOfActions)
	default:
		c.typed.Key(k.Keystroke(), k.Text)
		c.marked = 0
	}
	return nil
}

const pageOfActions = 10

func (c *chooser) paste(text string) {
	c.typed.Insert(text)
	c.marked = 0
}

// Rows that the help on the marked action may take.
const (
	longestHelp = 8
	shortHelp   = 2
)

func (c *chooser) view(m *Model, width, height int) []string {
	st := m.env.Theme.Styles
	found := c.found()
	lines, _, _ := c.typed.View(width-10, 1)
	rows := []string{
		st.Title.Render(text.Truncate(c.title, width)),
		st.Key.Render("find: ") + st.Text.Render(lines[0]) + "▏",
	}
	helpRows := longestHelp
	if height >= lowBelow {
		height -= 3 // some of the screen below stays in sight
		if c.help {
			height -= 2
		}
	} else if c.help {
		helpRows = shortHelp
		height -= helpRows
	}
	room := max(1, height-len(rows))
	from := max(0, min(c.marked-room/2, len(found)-room))
	state := m.state()
	for i := from; i < min(len(found), from+room); i++ {
		rows = append(rows, c.row(m, found[i], i == c.marked, found[i].Why(state), width))
	}
	if len(found) == 0 {
		return append(rows, st.Muted.Render("nothing is called that"))
	}
	if c.help {
		help := text.Wrap(found[min(c.marked, len(found)-1)].Help, width)
		for _, l := range help[:min(len(help), helpRows)] {
			rows = append(rows, st.Accent.Render(l))
		}
	}
	return rows
}

func (c *chooser) row(m *Model, a action.Action, marked bool, why string, width int) string {
	st := m.env.Theme.Styles
	mark, tail := "  ", a.Help
	if marked {
		mark = "> "
	}
	if why != "" {
		tail = "not now: " + why
	}
	line := text.Pad(mark+text.Pad(keysOf(a), 12)+text.Pad(a.Label, 18)+tail, width)
	switch {
	case marked:
		return st.Selected.Render(line)
	case why != "":
		return st.Disabled.Render(line)
	}
	return st.Text.Render(line)
}

func keysOf(a action.Action) string {
	s := a.Key()
	for _, k := range a.Keys[min(1, len(a.Keys)):] {
		if text.Width(s)+1+text.Width(k) > 11 {
			break
		}
		s += " " + k
	}
	return s
}
