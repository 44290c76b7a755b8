package search

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"wiki/tui/text"
)

// snippetIndent is how far a snippet stands in from its title.
const snippetIndent = 4

// snippet draws up to n rows of a snippet, what matched (between ** and **) marked.
func (s *Screen) snippet(raw string, width, n int) []string {
	plain, marked := matches(text.InertLine(raw))
	var rows []string
	for i, r := range text.WrapRanges(plain, max(8, width-snippetIndent)) {
		if i == n {
			last := len(rows) - 1
			rows[last] = ansi.Truncate(rows[last], max(8, width-snippetIndent)+snippetIndent-1, "") + text.Ellipsis
			break
		}
		rows = append(rows, strings.Repeat(" ", snippetIndent)+s.marked(plain, r, marked))
	}
	return rows
}

// matches takes the ** out of a snippet and says what stood between them.
func matches(s string) (plain string, marked []text.Range) {
	var out strings.Builder
	parts := strings.Split(s, "**")
	for i, part := range parts {
		from := out.Len()
		out.WriteString(part)
		switch {
		case i%2 == 1 && i == len(parts)-1: // one that nothing closes is text
			rest := out.String()
			return rest[:from] + "**" + rest[from:], marked
		case i%2 == 1 && part != "":
			marked = append(marked, text.Range{Start: from, End: out.Len()})
		}
	}
	return out.String(), marked
}

// marked draws a row of a text with its marked parts.
func (s *Screen) marked(all string, row text.Range, marked []text.Range) string {
	st := s.env.Theme.Styles
	var out strings.Builder
	at := row.Start
	for _, m := range marked {
		from, to := max(m.Start, at), min(m.End, row.End)
		if from >= to {
			continue
		}
		out.WriteString(st.Muted.Render(all[at:from]))
		out.WriteString(st.Match.Render(all[from:to]))
		at = to
	}
	out.WriteString(st.Muted.Render(all[at:row.End]))
	return out.String()
}

// plainWidth is the width of a row that carries styles.
func plainWidth(row string) int { return text.Width(ansi.Strip(row)) }
