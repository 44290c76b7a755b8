// Package markdown renders an article's text for the terminal. What comes out is inert but for styles, whatever went in.
package markdown

import (
	"strings"

	"charm.land/glamour/v2"
	"github.com/charmbracelet/x/ansi"

	"wiki/tui/text"
	"wiki/tui/theme"
)

// MaxWidth is the widest column of prose in columns: longer rows are hard to read on, whatever the terminal.
const MaxWidth = 100

// plainAbove is from how many bytes a text is shown as written, wrapped: the renderer needs about a second for a
// megabyte, and memory to match.
const plainAbove = 200_000

// Render gives the rows of a markdown text at a width in columns (at most MaxWidth is used). A text too long to render,
// or that the renderer fails on, comes as Source gives it. It may take 0.2 s: do it in a command.
func Render(body string, width int, th *theme.Theme) []string {
	width = min(width, MaxWidth)
	if len(body) > plainAbove {
		return Source(body, width)
	}
	r, err := glamour.NewTermRenderer(glamour.WithStyles(th.Markdown), glamour.WithWordWrap(width), glamour.WithTableWrap(true))
	if err != nil {
		return Source(body, width)
	}
	out, err := r.Render(defuse(text.Inert(body)))
	if err != nil {
		return Source(body, width)
	}
	return tidy(styled(out), width)
}

// Source gives the rows of a text as written, wrapped.
func Source(body string, width int) []string {
	return text.Wrap(text.Inert(body), min(width, MaxWidth))
}

// tidy drops the padding of rows, joins empty ones and cuts what the renderer left too wide.
func tidy(rows []string, width int) []string {
	var out []string
	for _, row := range rows {
		bare := strings.TrimRight(ansi.Strip(row), " ")
		switch {
		case bare == "" && (len(out) == 0 || out[len(out)-1] == ""):
			continue
		case bare == "":
			row = ""
		case text.Width(bare) > width:
			row = ansi.Truncate(row, width, text.Ellipsis)
		default:
			row = ansi.Truncate(row, text.Width(bare), "")
		}
		out = append(out, row)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}
