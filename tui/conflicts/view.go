package conflicts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wiki/core/wiki"
	"wiki/server/api"
	"wiki/tui/queue"
	"wiki/tui/text"
	"wiki/tui/when"
)

// Rows that are not the list's: state line, progress line, column heads above; the selected pair's details below.
// In a low window the column heads and who flagged the pair give way to rows of the list.
const (
	headRows    = 3
	footRows    = 2
	lowHeadRows = 2
	lowFootRows = 1
	lowBelow    = 12 // rows of the screen
	narrowBelow = 60 // columns
)

func (s *Screen) low() bool    { return s.height < lowBelow }
func (s *Screen) narrow() bool { return s.width < narrowBelow }

func (s *Screen) listHeight() int {
	if s.low() {
		return max(1, s.height-lowHeadRows-lowFootRows)
	}
	return max(1, s.height-headRows-footRows)
}

// stateNames are what the lists are called on screen: "judged" is said of what was done in this session.
var stateNames = map[string]string{"judged": "to execute"}

func stateName(state string) string {
	if name := stateNames[state]; name != "" {
		return name
	}
	return state
}

// View implements screen.Screen.
func (s *Screen) View() string {
	rows := []string{s.stateLine(), s.progressLine()}
	switch {
	case s.views != nil:
		rows = s.viewRows()
	case s.failure != nil && !s.loaded:
		rows = append(rows, s.centred("The queue could not be read.", Explain(s.failure), "ctrl+r reads it again.")...)
	case !s.loaded:
		rows = append(rows, s.centred("Reading the queue…")...)
	case s.ended():
		rows = append(rows, s.centred(s.endText()...)...)
	case s.Queue.Len() == 0:
		rows = append(rows, s.centred(s.emptyText()...)...)
	default:
		rows = append(rows, s.list()...)
	}
	for len(rows) < s.height {
		rows = append(rows, "")
	}
	return strings.Join(rows[:s.height], "\n")
}

// stateLine shows which pairs are listed, in which order, behind which filter; or the filter being typed.
func (s *Screen) stateLine() string {
	st := s.env.Theme.Styles
	if s.field != nil {
		return s.fieldLine()
	}
	names := states
	if s.narrow() && s.markText() != "" {
		names = []string{s.query.State} // the rest of the row says what is marked
	}
	var parts []string
	for _, name := range names {
		label := stateName(name)
		if n, known := s.counts[name]; known {
			label = fmt.Sprintf("%s %d", label, n)
		}
		if name == s.query.State {
			parts = append(parts, st.ActiveTab.Render("["+label+"]"))
		} else {
			parts = append(parts, st.Muted.Render(" "+label+" "))
		}
	}
	line := strings.Join(parts, " ")
	used := 0
	for _, name := range names {
		used += len(stateName(name)) + 3
		if n, known := s.counts[name]; known {
			used += len(fmt.Sprint(n)) + 1
		}
	}
	rest := s.markText() + "  by " + s.query.Sort
	if s.view != "" {
		rest += "  view: " + text.InertLine(s.view)
	}
	if s.filter != "" {
		rest += "  filter: " + text.InertLine(s.filter) + "  (esc lifts it)"
	}
	if s.loading && s.loaded {
		rest += "  reading…"
	}
	return line + st.Text.Render(text.Truncate(rest, s.width-used+1))
}

func (s *Screen) fieldLine() string {
	st := s.env.Theme.Styles
	hint := queue.Filters
	style := st.Muted
	if s.fieldErr != nil {
		hint, style = text.InertLine(s.fieldErr.Error()), st.Danger
	}
	room := max(20, s.width/3)
	lines, column, _ := s.field.View(room, 1)
	typed := text.Pad(lines[0], room)
	return st.Key.Render("filter: ") + cursorAt(typed, column) + " " + style.Render(text.Truncate(hint, s.width-room-9))
}

// cursorAt draws a bar cursor into a line, as text: reverse video needs no colour.
func cursorAt(line string, column int) string {
	return ansi.Cut(line, 0, column) + "▏" + ansi.Cut(line, column, max(column, text.Width(line)-1))
}

func (s *Screen) progressLine() string {
	if !s.loaded {
		return ""
	}
	p := s.Queue.Progress(s.env.Now())
	line := fmt.Sprintf("%d judged + %d left + %d skipped + %d deferred = %d", p.Judged, p.Left, p.Skipped, p.Deferred, p.Total)
	if s.narrow() {
		line = fmt.Sprintf("%d judged+%d left+%d skip+%d defer = %d", p.Judged, p.Left, p.Skipped, p.Deferred, p.Total)
	}
	if s.width >= 80 && p.Total > 0 {
		const bar = 16
		done := p.Judged * bar / p.Total
		line = "[" + strings.Repeat("#", done) + strings.Repeat(".", bar-done) + "] " + line
	}
	return s.env.Theme.Styles.Muted.Render(text.Truncate(line, s.width))
}

// list draws the column heads, the rows around the selection and the selected pair's details.
func (s *Screen) list() []string {
	st := s.env.Theme.Styles
	var out []string
	if !s.low() {
		out = append(out, st.Muted.Render(text.Truncate(s.columns(s.headSigns(), "like", "kind", "left", "right", "age", "held by"), s.width)))
	}
	room := len(out) + s.listHeight()
	s.scroll()
	for i := s.top; i < min(s.top+s.listHeight(), s.Queue.Len()); i++ {
		out = append(out, s.row(i))
	}
	for len(out) < room {
		out = append(out, "")
	}
	details := s.details()
	if s.low() && len(details) > lowFootRows {
		details = details[:lowFootRows]
	}
	return append(out, details...)
}

// scroll keeps the selection in sight.
func (s *Screen) scroll() {
	at, h := max(0, s.Queue.Position()), s.listHeight()
	s.top = max(0, min(max(min(s.top, at), at-h+1), s.Queue.Len()-h))
}

func (s *Screen) row(i int) string {
	c, st := s.Queue.Row(i), s.env.Theme.Styles
	chosen, isChosen := s.Queue.Selected()
	isChosen = isChosen && chosen.ID == c.ID
	held := HeldBy(c, s.env)
	line := text.Pad(s.columns(s.signs(i, isChosen), Likeness(c.Similarity), s.kind(c), text.InertLine(c.First.Title), text.InertLine(c.Second.Title),
		when.Ago(c.FlaggedAt, s.env.Now()), text.InertLine(held)), s.width)
	switch {
	case isChosen:
		return st.Selected.Render(line)
	case held != "" || s.Queue.MarkOf(c.ID, s.env.Now()) != queue.Unmarked:
		return st.Muted.Render(line)
	}
	return st.Text.Render(line)
}

// kind says why the pair is here, or what was done with it.
func (s *Screen) kind(c api.Conflict) string {
	switch s.Queue.MarkOf(c.ID, s.env.Now()) {
	case queue.Skipped:
		return "skipped"
	case queue.Deferred:
		return "deferred"
	case queue.Recorded:
		return "recorded"
	}
	if c.Verdict != nil && c.State != states[0] {
		return text.InertLine(c.Verdict.Disposition)
	}
	if c.Kind == "system" {
		return "similar"
	}
	return "disputed"
}

func (s *Screen) columns(mark, alike, kind, left, right, age, held string) string {
	if s.narrow() {
		return s.narrowColumns(mark, alike, kind, left, right, held)
	}
	titles := s.width - text.Width(mark) - 6 - 10 - 5
	heldWidth := 0
	if s.width >= 100 {
		heldWidth = 14
	} else if held != "" && held != "held by" {
		kind, age = "held", ""
		right = held + ": " + right
	}
	titles -= heldWidth
	half := titles / 2
	line := mark + text.Pad(alike, 6) + text.Pad(kind, 10) + text.Pad(text.Truncate(left, half-1), half) + text.Pad(text.Truncate(right, titles-half-1), titles-half) + text.PadLeft(age, 5)
	if heldWidth > 0 {
		line += text.Pad("  "+held, heldWidth)
	}
	return line
}

// narrowColumns leave out the age, and say what was done with a pair in the place of its likeness.
func (s *Screen) narrowColumns(mark, alike, kind, left, right, held string) string {
	const first = 9
	switch {
	case held != "" && held != "held by":
		alike, right = "held", held+": "+right
	case kind != "similar" && kind != "kind":
		alike = kind
	}
	titles := s.width - text.Width(mark) - first
	half := titles / 2
	return mark + text.Pad(text.Truncate(alike, first-1), first) + text.Pad(text.Truncate(left, half-1), half) + text.Truncate(right, titles-half)
}

// details tell the selected pair's differing words and who flagged it.
func (s *Screen) details() []string {
	c, ok := s.Queue.Selected()
	if !ok {
		return nil
	}
	st := s.env.Theme.Styles
	by := fmt.Sprintf("flagged %s by %s", when.Old(c.FlaggedAt, s.env.Now()), text.InertLine(c.FlaggedBy))
	if c.Evidence != "" {
		by += ": " + text.InertLine(c.Evidence)
	}
	return []string{
		st.Strong.Render(text.Truncate(Differing(c.Differing), s.width)),
		st.Muted.Render(text.Truncate(by, s.width)),
	}
}

// Likeness says a cosine; an assertion may come without one.
func Likeness(cosine float64) string {
	if cosine == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", cosine)
}

// Differing says which words tell two texts apart: "number 8080 | 8081, negation - | not".
func Differing(ds []api.Difference) string {
	if len(ds) == 0 {
		return "no number, version, name, date, unit or negation differs"
	}
	parts := make([]string, len(ds))
	for i, d := range ds {
		parts[i] = fmt.Sprintf("%s %s | %s", text.InertLine(d.Kind), orDash(d.First), orDash(d.Second))
	}
	return strings.Join(parts, ", ")
}

func orDash(s string) string {
	if s = text.InertLine(s); s == "" {
		return "-"
	}
	return s
}

// Explain says an error for people: what happened and what to do.
func Explain(err error) string {
	var e *wiki.Error
	if errors.As(err, &e) {
		s := e.Message
		if e.Remedy != "" {
			s += ": " + e.Remedy
		}
		return text.InertLine(s)
	}
	return text.InertLine(err.Error())
}
