package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"wiki/tui/action"
	"wiki/tui/text"
)

// The least size at which the screens make sense, and the rows around a screen: header, tabs, note, footer.
const (
	minWidth  = 40
	minHeight = 12
	// Below these a dialog takes the whole width, and says less in more rows.
	narrowBelow = 60
	lowBelow    = 16
	chromeRows  = 4
	// maxNoteRows is how many rows a note about something that went wrong may take.
	maxNoteRows = 4
)

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(m.draw())
	v.AltScreen = true
	v.WindowTitle = "wiki-tui"
	return v
}

func (m *Model) draw() string {
	switch {
	case m.width == 0 || m.quitting:
		return ""
	case m.width < minWidth || m.height < minHeight:
		return m.tooSmall()
	}
	body := strings.Split(m.body(), "\n")
	if top := m.top(); top != nil {
		body = m.over(body, top)
	}
	note := strings.Split(m.noteLine(), "\n")
	body = withRoom(body, len(note)-1)
	rows := append([]string{m.header(), m.tabs()}, body...)
	return strings.Join(append(append(rows, note...), m.footer()), "\n")
}

// withRoom takes n rows from a screen, for a longer note: blank ones from below, and the last ones when none is blank.
func withRoom(body []string, n int) []string {
	for i := len(body) - 1; i >= 0 && n > 0; i-- {
		if strings.TrimSpace(ansi.Strip(body[i])) == "" {
			body = slices.Delete(body, i, i+1)
			n--
		}
	}
	return body[:max(0, len(body)-n)]
}

// tooSmall is shown below the floor: nothing is lost, and nothing can be done unseen, for keys still go where they went.
func (m *Model) tooSmall() string {
	lines := text.Wrap(fmt.Sprintf("This window has %d columns and %d rows. wiki-tui needs %d x %d. Make it larger; nothing is lost. q leaves.",
		m.width, m.height, minWidth, minHeight), max(1, m.width-2))
	rows := make([]string, max(0, (m.height-len(lines))/2))
	for _, l := range lines {
		rows = append(rows, text.Truncate(" "+l, m.width))
	}
	return strings.Join(rows[:min(len(rows), m.height)], "\n")
}

func (m *Model) body() string {
	if m.gate.kind == gateOpen {
		return m.current().View()
	}
	st, height := m.env.Theme.Styles, m.height-chromeRows
	margin := 4
	if m.width < narrowBelow {
		margin = 1
	}
	var lines []string
	for _, l := range m.gateText() {
		lines = append(lines, text.Wrap(text.InertLine(l), max(1, m.width-2*margin))...)
	}
	if m.height < lowBelow { // every row says something
		lines = slices.DeleteFunc(lines, func(l string) bool { return l == "" })
	}
	rows := make([]string, max(0, (height-len(lines))/3))
	for i, l := range lines {
		style := st.Text
		if i == 0 {
			style = st.Title
		}
		rows = append(rows, strings.Repeat(" ", margin)+style.Render(l))
	}
	for len(rows) < height {
		rows = append(rows, "")
	}
	return strings.Join(rows[:height], "\n")
}

// over draws a layer in a frame over the dimmed screen.
func (m *Model) over(body []string, l layer) []string {
	st := m.env.Theme.Styles
	width := min(m.width-6, 100)
	if m.width < narrowBelow {
		width = m.width
	}
	content := l.view(m, width-4, len(body)-2)
	if len(content) > len(body)-2 {
		content = content[:len(body)-2]
	}
	widest := min(30, width-4)
	for _, row := range content {
		widest = max(widest, ansi.StringWidth(row))
	}
	widest = min(widest, width-4)
	side := st.Focus.Render("│")
	box := []string{st.Focus.Render("╭" + strings.Repeat("─", widest+2) + "╮")}
	for _, row := range content {
		row = ansi.Truncate(row, widest, "")
		box = append(box, side+" "+row+strings.Repeat(" ", widest-ansi.StringWidth(row))+" "+side)
	}
	box = append(box, st.Focus.Render("╰"+strings.Repeat("─", widest+2)+"╯"))
	top, left := max(0, (len(body)-len(box))/2), (m.width-widest-4)/2
	out := make([]string, len(body))
	for i, row := range body {
		plain := text.Pad(ansi.Strip(row), m.width)
		if i < top || i >= top+len(box) {
			out[i] = st.Dimmed.Render(plain)
			continue
		}
		out[i] = st.Dimmed.Render(ansi.Cut(plain, 0, left)) + box[i-top] + st.Dimmed.Render(ansi.Cut(plain, left+widest+4, m.width))
	}
	return out
}

// header has server, tenant, role, link and what is on its way.
func (m *Model) header() string {
	st := m.env.Theme.Styles
	left := " wiki"
	if m.who.Tenant != "" {
		left += "  " + text.InertLine(m.who.Tenant) + " · " + text.InertLine(m.who.Principal) + " · " + text.InertLine(m.who.Role)
	}
	if m.cfg.Server != "" {
		left += " · " + text.InertLine(m.cfg.Server)
	}
	right := m.linkText() + " "
	left = text.Pad(left, max(0, m.width-text.Width(right)))
	return st.Bar.Render(left) + st.Bar.Render(right)
}

func (m *Model) linkText() string {
	var parts []string
	if n := len(m.cfg.Acts.Pending()); n > 0 {
		parts = append(parts, fmt.Sprintf("%d to send", n))
	}
	state := "[" + string(m.link.State()) + "]"
	if m.cfg.Remote == nil {
		state = "[no server]"
	}
	return strings.Join(append(parts, state), " ")
}

// screenTabs are the screens in the order of their keys.
var screenTabs = []action.ID{
	action.ScreenConflicts, action.ScreenPair, action.ScreenDrafts, action.ScreenDrift, action.ScreenSuppressed, action.ScreenProposals,
	action.ScreenSearch, action.ScreenHealth, action.ScreenAudit,
}

// tabs shows the screens; those that cannot be entered are in brackets, and those that are not there are dropped when there is
// no room. Where there still is none, the names of the others are cut, then left out: their keys and counts stay.
func (m *Model) tabs() string {
	const allOfIt = 110
	st, state := m.env.Theme.Styles, m.state()
	var labels []string
	for _, length := range []int{fullNames, 4, 0, noCounts} {
		labels = m.tabLabels(state, length, length == fullNames && m.width >= allOfIt)
		used := 0
		for _, l := range labels {
			used += text.Width(l)
		}
		if used <= m.width {
			break
		}
	}
	var b strings.Builder
	used := 0
	for _, l := range labels {
		if used+text.Width(l) > m.width {
			break
		}
		style := st.Tab
		if strings.HasPrefix(l, "[") {
			style = st.ActiveTab
		}
		bare := strings.TrimSuffix(l, " ")
		b.WriteString(style.Render(bare) + st.Tab.Render(l[len(bare):]))
		used += text.Width(l)
	}
	return b.String() + st.Tab.Render(strings.Repeat(" ", max(0, m.width-used)))
}

// How much of the names of the screens that are not shown is written, in columns.
const (
	fullNames = 99
	noCounts  = -1
)

// tabLabels gives the tabs with so much of their names; absent says whether screens that this program lacks are among them.
func (m *Model) tabLabels(state action.State, length int, absent bool) []string {
	var labels []string
	for _, id := range screenTabs {
		a, _ := m.table.ByID(id)
		s, active := m.screens[id], id == m.active && m.gate.kind == gateOpen
		if s == nil && !absent {
			continue
		}
		label := a.Key()
		if active {
			label += " " + a.Label
		} else if length > 0 {
			label += " " + a.Label[:min(length, len(a.Label))]
		}
		if s != nil && (active || length != noCounts) {
			if n, counted := s.Count(); counted {
				gap := ":"
				if active || length > 0 {
					gap = " "
				}
				label += gap + strconv.Itoa(n)
			}
		}
		switch {
		case active:
			label = "[" + label + "] "
		case s == nil || length > 0 && a.Why(state) != "":
			label = "(" + label + ") "
		case length == fullNames:
			label = " " + label + "  "
		case length > 0:
			label = " " + label + " "
		default:
			label += " "
		}
		labels = append(labels, label)
	}
	return labels
}

// noteLine says what just happened; else what is wrong with the link, or what undo would take back. What went wrong is said
// to its end, in more rows when it needs them: the end says what to do.
func (m *Model) noteLine() string {
	st := m.env.Theme.Styles
	if m.note.Text != "" && m.cfg.Now().Before(m.noteUntil) {
		if m.note.Bad {
			return wrapped(st.Danger, "! "+m.note.Text, m.width)
		}
		return st.Good.Render(text.Truncate(text.InertLine(m.note.Text), m.width))
	}
	if m.gate.kind != gateOpen {
		return ""
	}
	if why := m.link.Why(); why != "" {
		return wrapped(st.Caution, string(m.link.State())+": "+why+". Go on: acts are kept and sent later.", m.width)
	}
	item, _, ok := m.ledger.Undo()
	if !ok {
		return ""
	}
	undo, _ := m.table.ByID(action.Undo)
	count := fmt.Sprintf(" · %d undoable", m.ledger.Count())
	if item.Deed == nil && m.width >= narrowBelow {
		count += " until executed"
	}
	what := undo.Key() + " takes back: " + text.InertLine(item.What)
	return st.Muted.Render(text.Truncate(what, m.width-text.Width(count)) + count)
}

func wrapped(st lipgloss.Style, note string, width int) string {
	lines := text.Wrap(text.InertLine(note), width)
	return st.Render(strings.Join(lines[:min(len(lines), maxNoteRows)], "\n"))
}

// footer shows the likely keys of where the curator is; help is always among them.
func (m *Model) footer() string {
	st, state := m.env.Theme.Styles, m.state()
	actions := m.table.Footer(m.contexts()...)
	cells := make([]string, len(actions))
	room := m.width
	for i, a := range actions {
		cells[i] = " " + a.Key() + " " + a.Label + " "
		if a.Why(state) != "" {
			cells[i] = "(" + a.Key() + " " + a.Label + ")"
		}
		if a.ID == action.HelpOpen {
			room -= text.Width(cells[i]) + 1
		}
	}
	var b strings.Builder
	for i, a := range actions {
		if w := text.Width(cells[i]) + 1; a.ID != action.HelpOpen {
			if w > room {
				continue
			}
			room -= w
		}
		if cells[i][0] == '(' {
			b.WriteString(st.Disabled.Render(cells[i]) + " ")
		} else {
			b.WriteString(" " + st.Key.Render(a.Key()) + " " + st.KeyLabel.Render(a.Label) + "  ")
		}
	}
	return b.String()
}
