package text

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Ellipsis ends text that was cut.
const Ellipsis = "…"

// Width is the number of terminal columns that one line of inert text takes.
func Width(s string) int { return displaywidth.String(s) }

// Truncate cuts one line of inert text to at most width columns, at a grapheme border, and ends what it cut with an
// ellipsis. A width below 1 gives "".
func Truncate(s string, width int) string {
	if width < 1 {
		return ""
	}
	if Width(s) <= width {
		return s
	}
	return s[:cut(s, width-1)] + Ellipsis
}

// Pad makes one line of inert text exactly width columns wide, cutting or adding spaces at the end.
func Pad(s string, width int) string {
	s = Truncate(s, width)
	return s + strings.Repeat(" ", max(0, width-Width(s)))
}

// PadLeft is Pad with the spaces before the text, for numbers.
func PadLeft(s string, width int) string {
	s = Truncate(s, width)
	return strings.Repeat(" ", max(0, width-Width(s))) + s
}

// Split cuts one line of inert text in two: what fits width columns, and the rest.
func Split(s string, width int) (string, string) {
	n := cut(s, width)
	return s[:n], s[n:]
}

// cut gives the length in bytes of the longest run of whole graphemes at the start of s that fits width columns.
func cut(s string, width int) int {
	end := 0
	for g := graphemes.FromString(s); g.Next(); {
		if width -= Width(g.Value()); width < 0 {
			break
		}
		end = g.End()
	}
	return end
}
