package diff

import (
	"strings"

	"wiki/tui/text"
)

// wrappedFrom is from how many columns on a line that another one follows in its paragraph was ended by an editor's word
// wrap, not by its author's will.
const wrappedFrom = 45

// flowing joins the lines of one paragraph where word wrap had broken them, so that it fills the width it is shown in. A
// break that means something stays: after a short line, after two spaces or a backslash (CommonMark, hard line breaks), at
// the end of the paragraph.
func flowing(spans []Span) []Span {
	end := 0 // of the paragraph without its trailing white space, in spans and bytes
	last := -1
	for i, s := range spans {
		if t := strings.TrimRight(s.Text, " \n"); t != "" {
			last, end = i, len(t)
		}
	}
	line := "" // the current line so far
	for i := 0; i <= last; i++ {
		s, head := spans[i].Text, ""
		if i == last {
			head, s = s[end:], s[:end]
		}
		var out strings.Builder
		for {
			at := strings.IndexByte(s, '\n')
			if at < 0 {
				break
			}
			line += s[:at]
			out.WriteString(s[:at])
			rest := s[at+1:]
			if hard(line) {
				out.WriteByte('\n')
			} else {
				out.WriteByte(' ')
				rest = strings.TrimLeft(rest, " ")
			}
			line, s = "", rest
		}
		line += s
		spans[i].Text = out.String() + s + head
	}
	return spans
}

// hard says whether the break after a line means something.
func hard(line string) bool {
	return strings.HasSuffix(line, "  ") || strings.HasSuffix(line, "\\") || text.Width(line) < wrappedFrom
}
