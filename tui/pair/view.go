package pair

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"wiki/server/api"
	"wiki/tui/conflicts"
	"wiki/tui/diff"
	"wiki/tui/text"
	"wiki/tui/when"
)

const (
	sideFrom   = 100 // columns from which the texts stand side by side unless the curator chose otherwise
	headRows   = 3   // two of titles, one line
	fieldRows  = 4   // of the note editor
	signWidth  = 2   // the sign before a line of text, and a space
	gutter     = " │ "
	wideBar    = 132 // columns from which the verdict bar says its effects in full
	gutterCols = 3
)

// laid is a comparison laid out for the size and the choices in force.
type laid struct {
	diff.Page
	valid bool
}

func (s *Screen) layoutNow() diff.Layout {
	switch {
	case s.chosen:
		return s.layout
	case s.width >= sideFrom:
		return diff.Side
	}
	return diff.Stacked
}

// laidOut lays the texts out, once for each size and choice.
func (s *Screen) laidOut() diff.Page {
	if s.page.valid {
		return s.page.Page
	}
	e := s.cache.get(s.id)
	if e == nil || s.width == 0 {
		return diff.Page{}
	}
	s.page = laid{valid: true, Page: e.diff.Lay(diff.View{
		Layout: s.layoutNow(), Width: s.cellWidth() - signWidth, OnlyChanges: s.changesOnly, Signs: s.env.Theme.Signs,
	})}
	return s.page.Page
}

func (s *Screen) cellWidth() int {
	if s.layoutNow() == diff.Side {
		return max(1+signWidth, (s.width-gutterCols)/2)
	}
	return s.width
}

func (s *Screen) textHeight() int { return max(1, s.height-headRows-len(s.bar())) }

// View implements screen.Screen.
func (s *Screen) View() string {
	var rows []string
	switch {
	case s.id == "":
		rows = s.message("No pair is open.", "1 shows the queue; enter opens a pair there.")
	case s.why:
		rows = s.whyView()
	default:
		rows = append(s.head(), s.text()...)
		for len(rows) < s.height-len(s.bar()) {
			rows = append(rows, "")
		}
		rows = append(rows, s.bar()...)
	}
	for len(rows) < s.height {
		rows = append(rows, "")
	}
	return strings.Join(rows[:s.height], "\n")
}

func (s *Screen) message(lines ...string) []string {
	rows := []string{""}
	for i, l := range lines {
		style := s.env.Theme.Styles.Text
		if i == 0 {
			style = s.env.Theme.Styles.Strong
		}
		for _, row := range text.Wrap(l, max(10, s.width-4)) {
			rows = append(rows, "  "+style.Render(row))
		}
	}
	return rows
}

// head names both sides, and says what of the text is shown.
func (s *Screen) head() []string {
	c, _ := s.Conflict()
	left, right := s.sideHead("left", c.First, !s.right), s.sideHead("right", c.Second, s.right)
	var rows []string
	if s.layoutNow() == diff.Side {
		w := s.cellWidth()
		for i := range left {
			rows = append(rows, left[i].draw(w)+s.env.Theme.Styles.Border.Render(gutter)+right[i].draw(s.width-w-gutterCols))
		}
	} else {
		rows = []string{left[0].and(left[1], s.width), right[0].and(right[1], s.width)}
	}
	return append(rows, s.rule())
}

// line is a text in a style.
type line struct {
	text  string
	style lipgloss.Style
}

func (l line) draw(width int) string { return l.style.Render(text.Pad(l.text, width)) }

// and draws two lines in one row, the second cut first.
func (l line) and(m line, width int) string {
	room := max(width*3/5, width-text.Width(m.text)-2)
	first := text.Truncate(l.text, room)
	rest := max(0, width-text.Width(first)-2)
	return l.style.Render(first) + "  " + m.style.Render(text.Pad(m.text, rest))
}

func (s *Screen) sideHead(name string, a api.ConflictSide, marked bool) []line {
	st := s.env.Theme.Styles
	title := line{" " + name + "  " + text.InertLine(a.Title), st.Title}
	if marked {
		title = line{"[" + name + "] " + text.InertLine(a.Title), st.Focus}
	}
	now := s.env.Now()
	facts := fmt.Sprintf("%s v%d · changed %s · by %s · %s · %s", text.InertLine(a.Status), a.Version,
		when.Old(a.ChangedAt, now), text.InertLine(a.CreatedBy), when.Count(a.Reads, "reader", "readers"), text.InertLine(a.Category))
	return []line{title, {facts, st.Muted}}
}

// rule is the line between head and text.
func (s *Screen) rule() string {
	p := s.laidOut()
	var parts []string
	switch n := len(p.Changes); {
	case s.cache.get(s.id) == nil:
	case n == 0:
		parts = append(parts, "the texts do not differ")
	default:
		parts = append(parts, fmt.Sprintf("change %d of %d", max(0, s.change)+1, n))
	}
	if c, known := s.Conflict(); known && len(c.Differing) > 0 {
		parts = append(parts, conflicts.Differing(c.Differing))
	}
	if s.layoutNow() != diff.Side || s.chosen {
		parts = append(parts, s.layoutNow().String())
	}
	if s.changesOnly {
		parts = append(parts, "only changes")
	}
	if s.ignoreSpace {
		parts = append(parts, "spaces ignored")
	}
	if h, n := s.textHeight(), len(p.Rows); n > h {
		parts = append(parts, fmt.Sprintf("lines %d-%d of %d", s.top+1, min(s.top+h, n), n))
	}
	return s.ruleWith(strings.Join(parts, " · "))
}

// ruleWith is a line across the screen with a label in it.
func (s *Screen) ruleWith(label string) string {
	line := "── " + text.Truncate(label, max(0, s.width-6)) + " "
	if label == "" {
		line = ""
	}
	return s.env.Theme.Styles.Border.Render(line + strings.Repeat("─", max(0, s.width-text.Width(line))))
}

// text draws the rows of both texts that are in sight.
func (s *Screen) text() []string {
	if err := s.cache.failure(s.id); err != nil && s.cache.get(s.id) == nil {
		return s.message("The texts could not be read.", conflicts.Explain(err), "ctrl+r reads them again; J goes to the next pair.")
	}
	if s.cache.get(s.id) == nil {
		return s.message("Reading both texts…")
	}
	p, h := s.laidOut(), s.textHeight()
	s.top = max(0, min(s.top, len(p.Rows)-h))
	var out []string
	for _, r := range p.Rows[s.top:min(len(p.Rows), s.top+h)] {
		out = append(out, s.drawRow(r))
	}
	return out
}

func (s *Screen) drawRow(r diff.Row) string {
	st := s.env.Theme.Styles
	if r.Folded > 0 {
		return st.Muted.Render(text.Truncate("  ⋯ "+when.Count(r.Folded, "line is", "lines are")+" the same", s.width))
	}
	if s.layoutNow() != diff.Side {
		return s.drawCell(r.Left, s.width)
	}
	w := s.cellWidth()
	return s.drawCell(r.Left, w) + st.Border.Render(gutter) + s.drawCell(r.Right, s.width-w-gutterCols)
}

// drawCell draws one side of a row, exactly width columns.
func (s *Screen) drawCell(c diff.Cell, width int) string {
	st := s.env.Theme.Styles
	sign := c.Sign
	if sign == 0 {
		sign = ' '
	}
	var b strings.Builder
	b.WriteString(st.Muted.Render(string(sign) + " "))
	used := signWidth
	for _, span := range c.Spans {
		t := strings.TrimRight(span.Text, "\n")
		t = text.Truncate(t, width-used)
		used += text.Width(t)
		b.WriteString(s.spanStyle(span.Kind).Render(t))
	}
	b.WriteString(strings.Repeat(" ", max(0, width-used)))
	return b.String()
}

func (s *Screen) spanStyle(k diff.Kind) lipgloss.Style {
	st := s.env.Theme.Styles
	switch k {
	case diff.Removed:
		return st.Removed
	case diff.Added:
		return st.Added
	case diff.RemovedWords:
		return st.RemovedWord
	case diff.AddedWords:
		return st.AddedWord
	}
	return st.Text
}
