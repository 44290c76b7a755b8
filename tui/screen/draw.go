package screen

import (
	"strings"

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
