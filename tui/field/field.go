// Package field is a text being typed: letters, cursor, paste. It is pure; the screen that owns it routes keys to it.
package field

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"wiki/tui/text"
)

// Field is a text with a cursor. The zero value is empty.
type Field struct {
	before, after string // the cursor is between them
	Lines         bool   // line breaks may be typed and pasted; else they become spaces
	Max           int    // in bytes; 0 = no limit
}

// Text is what was typed, as typed.
func (f *Field) Text() string { return f.before + f.after }

// Set replaces the text; the cursor goes to its end.
func (f *Field) Set(s string) { f.before, f.after = "", ""; f.Insert(s) }

// Insert puts text at the cursor. Control characters other than line breaks are dropped; what exceeds Max is cut.
func (f *Field) Insert(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && f.Lines:
			return r
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	for g := graphemes.FromString(s); g.Next(); {
		if f.Max > 0 && len(f.before)+len(f.after)+len(g.Value()) > f.Max {
			return
		}
		f.before += g.Value()
	}
}

// Key edits by a key's name (Bubble Tea's) or inserts its text; false when the key means nothing here.
func (f *Field) Key(name, typed string) bool {
	switch name {
	case "left", "ctrl+b":
		f.shift(lastGrapheme(f.before))
	case "right", "ctrl+f":
		f.shift(-firstGrapheme(f.after))
	case "home", "ctrl+a":
		f.before, f.after = "", f.before+f.after
	case "end", "ctrl+e":
		f.before, f.after = f.before+f.after, ""
	case "backspace", "ctrl+h":
		f.before = f.before[:len(f.before)-lastGrapheme(f.before)]
	case "delete", "ctrl+d":
		f.after = f.after[firstGrapheme(f.after):]
	case "ctrl+w", "alt+backspace":
		f.before = withoutLastWord(f.before)
	case "ctrl+u":
		f.before = ""
	case "ctrl+k":
		f.after = ""
	case "alt+enter", "ctrl+j", "shift+enter":
		if !f.Lines {
			return false
		}
		f.Insert("\n")
	default:
		if typed == "" {
			return false
		}
		f.Insert(typed)
	}
	return true
}

// shift moves n bytes from before the cursor to after it, or back when n is negative.
func (f *Field) shift(n int) {
	all, at := f.before+f.after, len(f.before)-n
	f.before, f.after = all[:at], all[at:]
}

// View gives the rows of the text, inert and wrapped, and where the cursor is among them. With fewer rows than the text
// needs, those around the cursor are given.
func (f *Field) View(width, rows int) (lines []string, column, row int) {
	before := text.Inert(f.before)
	all := text.Wrap(before+text.Inert(f.after), max(1, width-1))
	head := text.Wrap(before, max(1, width-1))
	row = min(len(head)-1, len(all)-1)
	column = text.Width(head[len(head)-1])
	if trailing := len(before) - len(strings.TrimRight(before, " ")); trailing > 0 && !strings.HasSuffix(head[len(head)-1], " ") {
		column = min(column+trailing, width-1)
	}
	first := max(0, min(row-rows+1, len(all)-rows))
	last := min(len(all), first+rows)
	return all[first:last], column, row - first
}

func lastGrapheme(s string) int {
	n := 0
	for g := graphemes.FromString(s); g.Next(); {
		n = len(g.Value())
	}
	return n
}

func firstGrapheme(s string) int {
	g := graphemes.FromString(s)
	if !g.Next() {
		return 0
	}
	return len(g.Value())
}

func withoutLastWord(s string) string {
	s = strings.TrimRightFunc(s, unicode.IsSpace)
	at := strings.LastIndexFunc(s, unicode.IsSpace)
	if at < 0 {
		return ""
	}
	_, n := utf8.DecodeRuneInString(s[at:])
	return s[:at+n]
}
