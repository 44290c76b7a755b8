package screen

import (
	"fmt"
	"strings"

	"wiki/tui/field"
	"wiki/tui/text"
	"wiki/tui/theme"
)

// Centred puts lines, the first one strong, in the middle of a room of width columns and height rows.
func Centred(th *theme.Theme, width, height int, lines ...string) []string {
	var wrapped []string
	for _, l := range lines {
		wrapped = append(wrapped, text.Wrap(l, max(20, width-8))...)
	}
	rows := make([]string, max(0, (height-len(wrapped))/2))
	for i, l := range wrapped {
		style := th.Styles.Text
		if i == 0 {
			style = th.Styles.Strong
		}
		l = text.Truncate(l, width)
		rows = append(rows, strings.Repeat(" ", max(0, (width-text.Width(l))/2))+style.Render(l))
	}
	return rows
}

// Row draws a row of a list; the selected one has a marker besides its style.
func Row(th *theme.Theme, width int, selected bool, line string) string {
	if selected {
		return th.Styles.Selected.Render(text.Pad("> "+line, width))
	}
	return th.Styles.Text.Render(text.Truncate("  "+line, width))
}

// Filled makes rows exactly height rows, as one string.
func Filled(rows []string, height int) string {
	for len(rows) < height {
		rows = append(rows, "")
	}
	return strings.Join(rows[:max(0, height)], "\n")
}

// States draws the names of lists, the one shown in brackets; where there is no room for all, that one alone.
func States(th *theme.Theme, width int, names []string, at int) string {
	used := 0
	for _, n := range names {
		used += text.Width(n) + 3
	}
	if used-1 > width {
		return th.Styles.ActiveTab.Render(text.Truncate("["+names[at]+"]", width)) +
			th.Styles.Muted.Render(text.Truncate(fmt.Sprintf("  %d of %d lists", at+1, len(names)), max(0, width-text.Width(names[at])-2)))
	}
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = th.Styles.Muted.Render(" " + n + " ")
		if i == at {
			parts[i] = th.Styles.ActiveTab.Render("[" + n + "]")
		}
	}
	return strings.Join(parts, " ")
}

// Rule draws a line across the screen with a label in it.
func Rule(th *theme.Theme, width int, label string) string {
	line := ""
	if label != "" {
		line = "── " + text.Truncate(label, max(0, width-6)) + " "
	}
	return th.Styles.Border.Render(line + strings.Repeat("─", max(0, width-text.Width(line))))
}

// Typed draws a field of several rows with its cursor.
func Typed(th *theme.Theme, f *field.Field, width, height int) []string {
	st := th.Styles
	lines, column, row := f.View(width-2, height)
	var rows []string
	for i := range height {
		edge := st.Border.Render("│")
		switch {
		case i >= len(lines):
			rows = append(rows, edge)
		case i == row:
			before, after := text.Split(lines[i], column)
			rows = append(rows, edge+st.Text.Render(before)+st.Strong.Render("▏")+st.Text.Render(after))
		default:
			rows = append(rows, edge+st.Text.Render(lines[i]))
		}
	}
	return rows
}
