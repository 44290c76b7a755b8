package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"wiki/tui/text"
)

var charReference = regexp.MustCompile(`&#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));`)

// defuse replaces the character references (&#27;) that would put a character into the rendered text which inert text
// does not have. The renderer would resolve them after the text was made inert.
func defuse(body string) string {
	if !strings.Contains(body, "&#") {
		return body
	}
	return charReference.ReplaceAllStringFunc(body, func(ref string) string {
		digits, base := ref[2:len(ref)-1], 10
		if digits[0] == 'x' || digits[0] == 'X' {
			digits, base = digits[1:], 16
		}
		n, err := strconv.ParseUint(digits, base, 32)
		if err != nil || n > unicode.MaxRune {
			return ref // the renderer gives U+FFFD
		}
		if after := "a" + string(rune(n)); text.Inert(after) != after {
			return text.Inert(after)[1:]
		}
		return ref
	})
}

// styled splits rendered text into rows. Of all escape sequences only styles (SGR) stay; a link becomes its text. The
// rest is made inert again: named references such as &lrm; are resolved by now. Each row stands alone: a style open at
// its end is closed and opened again on the next.
func styled(rendered string) []string {
	var rows []string
	var row, open strings.Builder
	put := func(s string) { // s has no escape sequence
		for i, part := range strings.Split(s, "\n") {
			if i > 0 {
				rows = append(rows, closed(row.String(), open.Len() > 0))
				row.Reset()
				row.WriteString(open.String())
			}
			row.WriteString(part)
		}
	}
	for rendered != "" {
		at := strings.IndexByte(rendered, '\x1b')
		if at < 0 {
			put(text.Inert(rendered))
			break
		}
		put(text.Inert(rendered[:at]))
		seq := sequence(rendered[at:])
		rendered = rendered[at+len(seq):]
		if style := seq[1:]; strings.HasPrefix(style, "[") && strings.HasSuffix(style, "m") {
			row.WriteString(seq)
			if style == "[m" || style == "[0m" {
				open.Reset()
			} else {
				open.WriteString(seq)
			}
		}
	}
	return append(rows, closed(row.String(), open.Len() > 0))
}

func closed(row string, open bool) string {
	if open {
		return row + "\x1b[m"
	}
	return row
}

// sequence gives the escape sequence that s starts with: CSI up to its final byte, a string (OSC and the like) up to its
// terminator or the end of the line, else two bytes.
func sequence(s string) string {
	if len(s) < 2 {
		return s
	}
	switch s[1] {
	case '[':
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return s[:i+1]
			}
			if s[i] < 0x20 || s[i] > 0x7e {
				return s[:i]
			}
		}
		return s
	case ']', 'P', '^', '_', 'X':
		for i := 2; i < len(s); i++ {
			switch {
			case s[i] == '\a':
				return s[:i+1]
			case s[i] == '\x1b' && i+1 < len(s) && s[i+1] == '\\':
				return s[:i+2]
			case s[i] == '\n' || s[i] == '\x1b':
				return s[:i]
			}
		}
		return s
	}
	if s[1] < 0x20 || s[1] > 0x7e {
		return s[:1]
	}
	return s[:2]
}
