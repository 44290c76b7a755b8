package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
)

// Range is a piece of a text, in bytes: text[Start:End].
type Range struct{ Start, End int }

// Wrap breaks inert text into lines of at most width columns. Line feeds break always. Within a line, words stay whole
// where they fit; a longer word is split between graphemes; wide characters (Chinese, Japanese, Korean) may break
// anywhere but before closing punctuation. Spaces at a break are dropped, indentation is kept. Empty text is one empty
// line. A width below 1 counts as 1; a character wider than width has a line of its own.
func Wrap(s string, width int) []string {
	ranges := WrapRanges(s, width)
	lines := make([]string, len(ranges))
	for i, r := range ranges {
		lines[i] = s[r.Start:r.End]
	}
	return lines
}

// WrapRanges is Wrap, with each line given as its place in s: for text whose pieces carry styles.
func WrapRanges(s string, width int) []Range {
	width = max(1, width)
	var lines []Range
	for at := 0; ; {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			return wrapLine(lines, s, Range{at, len(s)}, width)
		}
		lines = wrapLine(lines, s, Range{at, at + end}, width)
		at += end + 1
	}
}

// wrapLine appends the rows of one line of s.
func wrapLine(rows []Range, s string, line Range, width int) []Range {
	if line.End-line.Start <= width && isPlain(s[line.Start:line.End]) {
		return append(rows, line)
	}
	w := wrapper{s: s, rows: rows, width: width}
	w.begin(line.Start)
	for g := graphemes.FromString(s[line.Start:line.End]); g.Next(); {
		w.grapheme(line.Start+g.Start(), line.Start+g.End())
	}
	w.end(line.End)
	return w.rows
}

// wrapper fills rows grapheme by grapheme.
type wrapper struct {
	s      string
	rows   []Range
	width  int
	start  int  // of the row being filled
	col    int  // its width so far
	fit    int  // where it may end; start when nowhere yet
	resume int  // where the next row would start then
	word   bool // something else than indentation has been seen
	prev   rune
}

func (w *wrapper) begin(at int) { w.start, w.fit, w.resume = at, at, at }

func (w *wrapper) grapheme(from, to int) {
	first, n := utf8.DecodeRuneInString(w.s[from:to])
	cols := Width(w.s[from:to])
	if isSpace(first) && n == to-from { // spaces hang over the edge; one that carries marks does not
		if w.word {
			if !isSpace(w.prev) {
				w.fit = from
			}
			w.resume = to
		}
	} else {
		if w.word && w.resume < from && breakable(w.prev, first) {
			w.fit, w.resume = from, from
		}
		for w.col+cols > w.width && from > w.start {
			w.wrap(from)
		}
		w.word = true
	}
	w.col += cols
	w.prev = first
}

// wrap ends the row at its last break, or, when one word fills it, at from.
func (w *wrapper) wrap(from int) {
	next := w.resume
	if w.fit > w.start {
		w.end(w.fit)
	} else {
		w.end(from)
		next = from
	}
	w.begin(next)
	w.col = Width(w.s[next:from])
}

// end appends the row, without the spaces that hang over the edge.
func (w *wrapper) end(at int) {
	if row := w.s[w.start:at]; Width(row) > w.width {
		if trimmed := strings.TrimRightFunc(row, isSpace); trimmed != "" || isSpace(w.prev) {
			at = w.start + len(trimmed)
		}
	}
	w.rows = append(w.rows, Range{w.start, at})
}

func isSpace(r rune) bool { return r == ' ' || r == 0x3000 }

// breakable says whether a row may end between two characters with no space between them: beside a wide character, save
// where punctuation would be torn from its word.
func breakable(before, after rune) bool {
	if !isWide(before) && !isWide(after) {
		return false
	}
	return !unicode.In(after, unicode.Pe, unicode.Pf, unicode.Po, unicode.M, unicode.Lm) &&
		!unicode.In(before, unicode.Ps, unicode.Pi)
}

func isWide(r rune) bool { return r >= 0x1100 && Width(string(r)) == 2 }
