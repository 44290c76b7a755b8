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
	headRows   = 3 // two of titles, one line
	fieldRows  = 4 // of the note editor
	gutter     = " │ "
	wideBar    = 132 // columns from which the verdict bar says its effects in full
	gutterCols = 3
)

// lowBelow is the height in rows below which the text gets what the bar does not need.
const lowBelow = 12

func (s *Screen) low() bool { return s.height < lowBelow }

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
		s.fit()
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
	if s.texts.Layout() == diff.Side {
		w := max(1, (s.width-gutterCols)/2)
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
	var parts []string
	if s.cache.get(s.id) != nil {
		parts = append(parts, s.texts.Status())
	}
	if c, known := s.Conflict(); known && len(c.Differing) > 0 {
		parts = append(parts, conflicts.Differing(c.Differing))
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
	return s.texts.Lines()
}
